use playbook_engine::{Playbooks, Start, Value};
use playbook_lang::{Playbook, Program, TriggerKind};

/// What is wrong with a parameter that was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    #[error("`{0}` lacks `=`")]
    NoValue(String),
    #[error("`{0}`: the program has no such parameter or variable")]
    Unknown(String),
}

/// How a run begins with what was given as `name=value`: parameters of what starts become arguments, everything else
/// variables. A value is JSON, or else a text.
pub fn start_with(code: &Playbooks, playbook: Option<&str>, given: &[String]) -> Result<Start, ParamError> {
    let program = code.program();
    let mut start = Start::default();
    for text in given {
        let (name, value) = text.split_once('=').ok_or_else(|| ParamError::NoValue(text.clone()))?;
        let name = name.trim().trim_start_matches('$');
        let value = serde_json::from_str::<Value>(value).unwrap_or_else(|_| Value::from(value));
        let is_parameter = starting(program, playbook)
            .any(|starts| starts.params.iter().any(|param| param.name.value == name));
        if is_parameter {
            start.args.insert(name.to_owned(), value);
        } else if is_mentioned(program, name) {
            start.variables.insert(name.to_owned(), value);
        } else {
            return Err(ParamError::Unknown(name.to_owned()));
        }
    }
    Ok(start)
}

fn starting<'a>(program: &'a Program, playbook: Option<&'a str>) -> impl Iterator<Item = &'a Playbook> {
    let all = program.agents.iter().flat_map(|agent| &agent.playbooks);
    all.filter(move |found| match playbook {
        Some(name) => {
            let plain = name.rsplit('.').next().unwrap_or(name);
            playbook_lang::name::key(&found.name.value) == playbook_lang::name::key(plain)
        }
        None => found.triggers.iter().any(|trigger| trigger.kind == TriggerKind::Begin),
    })
}

/// Whether the name stands anywhere as a word.
fn is_mentioned(program: &Program, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    program
        .sources()
        .iter()
        .any(|(_, file)| file.text.split(|letter| !is_part(letter)).any(|word| word == name))
}
