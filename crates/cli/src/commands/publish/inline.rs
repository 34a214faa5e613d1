use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

const USER: &str = "user_message";
const AGENT: &str = "agent_response";

/// Turns given on the command line, in the order they were given. Written by hand, because derived
/// arguments forget in which order two different options came.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct InlineTurns(pub(super) Vec<Value>);

impl Args for InlineTurns {
    fn augment_args(command: Command) -> Command {
        let text = |name: &'static str, long: &'static str, help: &'static str| {
            Arg::new(name)
                .long(long)
                .value_name("TEXT")
                .help(help)
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
        };
        command
            .arg(text(
                USER,
                "user-message",
                "What the user said; give it and --agent-response as often as there are turns",
            ))
            .arg(text(AGENT, "agent-response", "What the agent answered"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for InlineTurns {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut turns: Vec<(usize, Value)> = Vec::new();
        for (name, role) in [(USER, "User"), (AGENT, "Agent")] {
            let places = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            turns.extend(
                places.zip(texts).map(|(place, text)| (place, json!({"role": role, "content": text}))),
            );
        }
        turns.sort_by_key(|(place, _)| *place);
        Ok(Self(turns.into_iter().map(|(_, turn)| turn).collect()))
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Err(clap::Error::raw(ErrorKind::UnknownArgument, "arguments are read once"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_keep_the_order_of_the_command_line() {
        let command = InlineTurns::augment_args(Command::new("publish"));
        let matches = command.get_matches_from([
            "publish",
            "--user-message=one",
            "--agent-response=two",
            "--agent-response=three",
            "--user-message=-four",
        ]);
        let InlineTurns(turns) = InlineTurns::from_arg_matches(&matches).unwrap();
        let texts: Vec<&str> = turns.iter().filter_map(|turn| turn["content"].as_str()).collect();
        assert_eq!(texts, ["one", "two", "three", "-four"]);
        assert_eq!(turns[1]["role"], "Agent");
    }
}
