//! Reading a file of tests. Every mistake says its line and how to write it.

use playbook_engine::{Learned, LearnedFrom, Value};

use super::case::{Answer, Case, Line, Suite, ToolResult, Turn};
use super::expect::{Expectation, OutcomeKind};
use crate::tool::parse_tool;

/// Something that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {text}")]
pub struct Mistake {
    pub line: usize,
    pub text: String,
}

/// What a line begins.
enum Raw {
    Title(String),
    Case(String),
    /// A bullet with what belongs to it: further lines, a code block.
    Item {
        text: String,
        block: Option<String>,
    },
}

impl Suite {
    /// Reads a whole file, or says everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        let mut suite = Self::default();
        let mut mistakes = Vec::new();
        for (line, raw) in raw_items(text) {
            let mut wrong = |text: String| mistakes.push(Mistake { line, text });
            match raw {
                Raw::Title(title) => match files(&title) {
                    Some(files) => suite.files = files,
                    None => wrong("the title names no file; write `# Tests of order_status.md`".to_owned()),
                },
                Raw::Case(title) => suite.cases.push(Case { title, line, ..Case::default() }),
                Raw::Item { text, block } => match suite.cases.last_mut() {
                    Some(case) => {
                        if let Err(text) = item(case, line, &text, block.as_deref()) {
                            wrong(text);
                        }
                    }
                    None => wrong("this belongs to no case; begin one with `## What must hold`".to_owned()),
                },
            }
        }
        if suite.files.is_empty() && mistakes.is_empty() {
            let text = "there is no title; begin with `# Tests of order_status.md`".to_owned();
            mistakes.push(Mistake { line: 1, text });
        }
        for case in &suite.cases {
            if case.turns.is_empty() && case.expectations.is_empty() {
                let text = format!("`{}` expects nothing and cannot fail", case.title);
                mistakes.push(Mistake { line: case.line, text });
            }
        }
        if mistakes.is_empty() { Ok(suite) } else { Err(mistakes) }
    }
}

fn raw_items(text: &str) -> Vec<(usize, Raw)> {
    let mut items: Vec<(usize, Raw)> = Vec::new();
    let mut fence: Option<String> = None;
    for (at, line) in text.lines().enumerate() {
        let (trimmed, is_indented) = (line.trim(), line.starts_with([' ', '\t']));
        if trimmed.starts_with("```") {
            match fence.take() {
                None => fence = Some(String::new()),
                Some(code) => {
                    if let Some((_, Raw::Item { block, .. })) = items.last_mut() {
                        *block = Some(code);
                    }
                }
            }
        } else if let Some(code) = &mut fence {
            code.push_str(line);
            code.push('\n');
        } else if let Some(title) = line.strip_prefix("## ") {
            items.push((at + 1, Raw::Case(title.trim().to_owned())));
        } else if let Some(title) = line.strip_prefix("# ") {
            items.push((at + 1, Raw::Title(title.trim().to_owned())));
        } else if let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            items.push((at + 1, Raw::Item { text: text.trim().to_owned(), block: None }));
        } else if is_indented
            && !trimmed.is_empty()
            && let Some((_, Raw::Item { text, .. })) = items.last_mut()
        {
            text.push('\n');
            text.push_str(trimmed);
        }
    }
    items
}

/// `Tests of a.md, b.md`
fn files(title: &str) -> Option<Vec<String>> {
    let (before, names) = title.split_once(" of ")?;
    let files: Vec<String> = names
        .split(',')
        .map(|name| name.trim().trim_matches('`').to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    (before.eq_ignore_ascii_case("tests") && !files.is_empty()).then_some(files)
}

fn item(case: &mut Case, line: usize, text: &str, block: Option<&str>) -> Result<(), String> {
    let (word, rest) = split_word(text);
    let given = &mut case.given;
    match word.to_ascii_lowercase().as_str() {
        "start" => given.playbook = Some(rest.trim_matches('`').to_owned()),
        "given" => given.variables.push(assignment(rest)?),
        "argument" => given.args.push(assignment(rest)?),
        "tool" => tool(case, rest, block)?,
        "learned" => given.learned.push(learned(rest)?),
        "approved" => given.approves = Some(true),
        "refused" => given.approves = Some(false),
        "user:" => case.turns.push(Line { line, what: Turn::User(rest.to_owned()) }),
        "agent:" => case.turns.push(Line { line, what: Turn::Agent(unquoted(rest).to_owned()) }),
        "time" => case.turns.push(Line { line, what: Turn::TimePasses }),
        "model:" => case.answers.push(Line { line, what: answer(rest, block, false)? }),
        "wrong" => {
            let rest =
                rest.strip_prefix("model:").ok_or("write `Wrong model:` and the answer that is refused")?;
            case.answers.push(Line { line, what: answer(rest, block, true)? });
        }
        "expect" => case.expectations.push(Line { line, what: expectation(rest)? }),
        _ => {
            return Err(format!(
                "`{word}` is not known; lines begin with User:, Agent:, Model:, Wrong model:, Expect, Given, Argument, \
                 Tool, Start, Learned, Approved, Refused or Time passes"
            ));
        }
    }
    Ok(())
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn json(text: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(text.trim().trim_matches('`'))
        .map_err(|error| format!("`{}` is not JSON ({error}); texts stand in double quotes", text.trim()))
}

fn assignment(text: &str) -> Result<(String, Value), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` lacks `=`; write `$name = \"value\"`"))?;
    let name = name.trim().trim_start_matches('$');
    if name.is_empty() {
        return Err("there is no name before `=`".to_owned());
    }
    Ok((name.to_owned(), json(value)?.into()))
}

/// `Name(params) gives JSON`, `Name(params) fails "why"`
fn tool(case: &mut Case, text: &str, block: Option<&str>) -> Result<(), String> {
    let end = text.find(')').ok_or_else(|| "write `Tool Name(parameter) gives {…}`".to_owned())? + 1;
    let tool = parse_tool(&text[..end]).map_err(|error| error.to_string())?;
    let (word, rest) = split_word(text[end..].trim());
    let value = || json(block.unwrap_or(rest));
    let result = match word {
        "gives" | "gives:" => ToolResult::Gives(value()?.into()),
        "fails" | "fails:" => ToolResult::Fails(unquoted(rest).to_owned()),
        _ => return Err(format!("what does `{}` do? write `gives {{…}}` or `fails \"why\"`", tool.name)),
    };
    let given = &mut case.given;
    given.results.push((tool.name.clone(), result));
    if !given.tools.iter().any(|known| known.name == tool.name) {
        given.tools.push(tool);
    }
    Ok(())
}

/// `rule R1: text`, `profile P1: text`
fn learned(text: &str) -> Result<Learned, String> {
    let wrong = || "write `Learned rule R1: text`, or `Learned profile P1: text`".to_owned();
    let (kind, rest) = split_word(text);
    let from = match kind {
        "rule" => LearnedFrom::Agent,
        "profile" => LearnedFrom::User,
        _ => return Err(wrong()),
    };
    let (rule, text) = rest.split_once(':').ok_or_else(wrong)?;
    Ok(Learned { rule: rule.trim().to_owned(), text: text.trim().to_owned(), from })
}

fn answer(text: &str, block: Option<&str>, is_refused: bool) -> Result<Answer, String> {
    let json = match block {
        Some(block) => json(block)?,
        None if text.is_empty() => {
            return Err("an answer of the model stands in a code block below".to_owned());
        }
        None => json(text)?,
    };
    Ok(Answer { json, is_refused })
}

fn expectation(text: &str) -> Result<Expectation, String> {
    let (word, rest) = split_word(text);
    let count = word.parse::<u64>().ok();
    Ok(match (word, count) {
        (_, Some(count)) if matches!(rest, "model call" | "model calls") => Expectation::ModelCalls(count),
        (_, Some(times)) if rest.starts_with("calls of ") || rest.starts_with("call of ") => {
            let name = rest.split_once(" of ").map_or(rest, |(_, name)| name).trim_matches('`').to_owned();
            Expectation::Calls { name, times }
        }
        ("no", _) if rest == "model call" || rest == "model calls" => Expectation::ModelCalls(0),
        ("no", _) if rest.starts_with("call of ") => {
            let name = rest.trim_start_matches("call of ").trim_matches('`').to_owned();
            Expectation::Calls { name, times: 0 }
        }
        ("steps", _) => {
            let (steps, playbook) =
                rest.split_once(" of ").ok_or("write `Expect steps 01, 02 of Playbook`")?;
            let steps = steps.split(',').map(|step| step.trim().to_owned()).collect();
            Expectation::Steps { playbook: playbook.trim_matches('`').to_owned(), steps }
        }
        ("said", _) => Expectation::Said(unquoted(rest).to_owned()),
        ("not", _) if rest.starts_with("said ") => {
            Expectation::NotSaid(unquoted(rest.trim_start_matches("said ")).to_owned())
        }
        ("outcome", _) => {
            let kind = OutcomeKind::ALL.into_iter().find(|kind| kind.as_str() == rest);
            let all = OutcomeKind::ALL.map(OutcomeKind::as_str).join(", ");
            Expectation::Outcome(kind.ok_or_else(|| format!("`{rest}` is no outcome; there are {all}"))?)
        }
        ("applied", _) => Expectation::Applied(rest.trim_matches('`').to_owned()),
        ("fired", _) => Expectation::Fired(rest.trim_matches('`').to_owned()),
        _ if text.contains('$') => Expectation::Holds(text.trim_matches('`').to_owned()),
        _ => {
            return Err(format!(
                "`{text}` cannot be expected; there are: an expression with $variables, `2 model calls`, `1 call of \
                 Name`, `steps 01, 02 of Name`, `said \"…\"`, `not said \"…\"`, `outcome done`, `applied N1`, \
                 `fired Name`"
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        Suite::parse(text).expect_err("mistakes").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_case_is_read_with_its_lines() {
        let text = "# Tests of a.md, `b.md`\n\nWords for people.\n\n## It works\n- Given $token = \"t\"\n- Tool W.Find(id) gives {\"a\": 1}\n- User: Hello,\n  there\n- Model:\n  ```json\n  {\"steps\": []}\n  ```\n- Agent: \"Hi\"\n- Time passes\n- Expect $n == 2\n- Expect 1 call of W.Find\n";
        let suite = Suite::parse(text).expect("a suite");
        assert_eq!(suite.files, ["a.md", "b.md"]);
        let case = &suite.cases[0];
        assert_eq!((case.title.as_str(), case.line), ("It works", 5));
        assert_eq!(case.turns[0], Line { line: 8, what: Turn::User("Hello,\nthere".to_owned()) });
        assert_eq!(case.turns[1], Line { line: 14, what: Turn::Agent("Hi".to_owned()) });
        assert_eq!(case.turns[2].what, Turn::TimePasses);
        assert_eq!(case.answers[0].what.json, serde_json::json!({ "steps": [] }));
        assert_eq!(case.expectations[0].what, Expectation::Holds("$n == 2".to_owned()));
        let calls = Expectation::Calls { name: "W.Find".to_owned(), times: 1 };
        assert_eq!(case.expectations[1].what, calls);
        assert_eq!(case.given.variables, [("token".to_owned(), Value::from("t"))]);
    }

    #[test]
    fn every_mistake_is_told_with_its_line_and_the_way_to_write_it() {
        let text = "# Tests of a.md\n- User: too early\n## Bad\n- Hello\n- Given token\n- Given $x = bare\n- Tool Find does it\n- Tool Find(a) does it\n- Model:\n- Expect wonders\n- Expect outcome great\n- Learned it\n";
        let found = mistakes(text);
        let all = found.join("\n");
        for (line, words) in [
            (2, "belongs to no case"),
            (4, "`Hello` is not known"),
            (5, "lacks `=`"),
            (6, "is not JSON"),
            (7, "write `Tool Name"),
            (8, "write `gives"),
            (9, "code block"),
            (10, "cannot be expected"),
            (11, "is no outcome"),
            (12, "write `Learned rule"),
        ] {
            let is_told =
                found.iter().any(|told| told.starts_with(&format!("line {line}: ")) && told.contains(words));
            assert!(is_told, "line {line}: {words}\n{all}");
        }
    }

    #[test]
    fn a_file_without_a_title_and_a_case_that_cannot_fail_are_mistakes() {
        assert!(mistakes("words")[0].contains("there is no title"));
        assert!(mistakes("# Something\n## x\n- User: a\n")[0].contains("names no file"));
        assert!(mistakes("# Tests of a.md\n## x\n- Given $a = 1\n")[0].contains("cannot fail"));
    }
}
