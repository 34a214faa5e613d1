//! From records to a prompt, and from an answer to a text.

use serde_json::Value;

use crate::{Error, Record};

/// Where the text under improvement goes in a template.
pub const CURRENT: &str = "<curr_param>";
/// Where the rendered records go.
pub const RECORDS: &str = "<side_info>";

/// A template for callers who have none of their own.
pub const DEFAULT: &str = "\
An assistant works under this instruction:

```
<curr_param>
```

These are tasks it was given, what it answered, and what was thought of the answers:

<side_info>

Write a better instruction. Keep what works in the present one; add what the answers lacked, including facts and ways of working that \
the feedback reveals, since the assistant will not see these examples again; and name no detail that only one of them needs. Answer \
with the whole new instruction between two lines of three backticks.
";

const DEEPEST: usize = 6;

/// Fills a template with a text and the records about it. A place named inside the text is not filled: neither a
/// text nor a record can smuggle the other in.
pub fn prompt(template: &str, current: &str, records: &[Record]) -> Result<String, Error> {
    for place in [CURRENT, RECORDS] {
        if !template.contains(place) {
            return Err(Error::Template(place));
        }
    }
    let records = render(records);
    let mut prompt = String::with_capacity(template.len() + current.len() + records.len());
    for (at, piece) in template.split(CURRENT).enumerate() {
        if at > 0 {
            prompt.push_str(current);
        }
        prompt.push_str(&piece.replace(RECORDS, &records));
    }
    Ok(prompt)
}

/// Records as Markdown, one numbered example each.
pub fn render(records: &[Record]) -> String {
    let example = |(at, record): (usize, &Record)| {
        let mut text = format!("# Example {}\n", at + 1);
        entries(&mut text, record.iter().map(|(key, value)| (key.clone(), value)), 2);
        text
    };
    records.iter().enumerate().map(example).collect::<Vec<_>>().join("\n\n")
}

fn entries<'a>(text: &mut String, values: impl Iterator<Item = (String, &'a Value)>, level: usize) {
    for (title, value) in values {
        text.push_str(&"#".repeat(level));
        text.push_str(&format!(" {title}\n"));
        leaf_or_entries(text, value, (level + 1).min(DEEPEST));
    }
}

fn leaf_or_entries(text: &mut String, value: &Value, level: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            entries(text, map.iter().map(|(k, v)| (k.clone(), v)), level)
        }
        Value::Array(items) if !items.is_empty() => {
            entries(
                text,
                items.iter().enumerate().map(|(at, item)| (format!("Item {}", at + 1), item)),
                level,
            );
        }
        Value::Object(_) | Value::Array(_) => text.push('\n'),
        Value::String(leaf) => text.push_str(&format!("{}\n\n", leaf.trim())),
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&format!("{value}\n\n")),
    }
}

/// The proposed text in a model's answer: what stands between the first and the last fence, without the language
/// word; without a pair of fences, the answer without a lone one.
pub fn extract(answer: &str) -> &str {
    const FENCE: &str = "```";
    let open = answer.find(FENCE).map(|at| at + FENCE.len());
    let close = answer.rfind(FENCE);
    if let Some(inside) =
        open.zip(close).and_then(|(open, close)| answer.get(open..close)).filter(|s| !s.is_empty())
    {
        return without_language(inside).trim();
    }
    let whole = answer.trim();
    if let Some(rest) = whole.strip_prefix(FENCE) {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return rest.get(word..).unwrap_or_default().trim();
    }
    whole.strip_suffix(FENCE).unwrap_or(whole).trim()
}

/// Drops the first line if it is one word or empty.
fn without_language(inside: &str) -> &str {
    match inside.split_once('\n') {
        Some((first, rest)) if !first.contains(char::is_whitespace) => rest,
        Some(_) | None => inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record<const N: usize>(pairs: [(&str, Value); N]) -> Record {
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    #[test]
    fn records_become_headings_of_growing_depth() {
        let records = [
            record([("Inputs", json!({"q": 1, "tags": ["x", true]})), ("Feedback", json!(" too long "))]),
            record([("Empty", json!([])), ("Feedback", Value::Null)]),
        ];
        let wanted = "# Example 1\n## Inputs\n### q\n1\n\n### tags\n#### Item 1\nx\n\n#### Item 2\ntrue\n\n\
                      ## Feedback\ntoo long\n\n\n\n# Example 2\n## Empty\n\n## Feedback\nnull\n\n";
        assert_eq!(render(&records), wanted);
    }

    #[test]
    fn headings_stop_at_the_sixth_level() {
        let deep = record([("a", json!({"b": {"c": {"d": {"e": {"f": 1}}}}}))]);
        assert!(render(&[deep]).ends_with("##### d\n###### e\n###### f\n1\n\n"));
    }

    #[test]
    fn the_default_template_is_one() {
        let filled = prompt(DEFAULT, "Be brief.", &[record([("Feedback", json!("too short"))])]).unwrap();
        assert!(filled.contains("```\nBe brief.\n```") && filled.contains("## Feedback\ntoo short"));
    }

    #[test]
    fn a_template_needs_both_places_and_texts_are_not_filled_again() {
        assert_eq!(prompt("<side_info>", "x", &[]), Err(Error::Template(CURRENT)));
        assert_eq!(prompt("<curr_param>", "x", &[]), Err(Error::Template(RECORDS)));
        let records = [record([("k", json!("<curr_param>"))])];
        let filled = prompt("A <curr_param> B <side_info> C", "x <side_info>", &records).unwrap();
        assert_eq!(filled, "A x <side_info> B # Example 1\n## k\n<curr_param>\n\n C");
    }

    #[test]
    fn the_text_is_found_between_fences() {
        for (answer, text) in [
            ("Here:\n```\nnew text\n```\nDone.", "new text"),
            ("```markdown\nnew text\n```", "new text"),
            ("```\nouter\n```py\ncode\n```\nrest\n```", "outer\n```py\ncode\n```\nrest"),
            ("```two words\nstay\n```", "two words\nstay"),
            ("```inline```", "inline"),
            ("```md\nunclosed", "unclosed"),
            ("  no end\n```", "no end"),
            ("  no fence at all \n", "no fence at all"),
            ("``````", ""),
            ("```", ""),
            ("", ""),
        ] {
            assert_eq!(extract(answer), text, "{answer:?}");
        }
    }
}
