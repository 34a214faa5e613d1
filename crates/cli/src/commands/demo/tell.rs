//! What a demo found, and what to try next.

use std::collections::BTreeMap;

use reflexio_api_types::AgentPlaybookView;
use serde_json::{Value, json};

use super::super::agent_playbooks::evidence;
use super::super::delete::counted;
use super::play::Found;
use super::server::DemoServer;
use crate::output::{Align, Output, Table};

const PROFILES_SHOWN: usize = 5;
const PROPOSALS_SHOWN: usize = 8;

/// Commands that a person can copy.
struct Commands {
    show: Option<String>,
    approve: Option<String>,
    search: Option<String>,
    export: String,
    docs: String,
    stop: String,
}

pub(super) fn tell(out: &Output, server: &DemoServer, found: &Found) -> anyhow::Result<()> {
    let commands = Commands::new(server, found.proposals.first());
    if out.is_json() {
        return Ok(out.json(&as_json(server, found, &commands))?);
    }
    let bold = out.style().bold();
    out.line(format_args!(
        "\nLearned from {} in {:.0} s, without a model.\n",
        counted(found.conversations as u64, "conversation"),
        found.seconds.max(1.0)
    ))?;
    out.line(
        bold.apply_to(format!("{} about users, such as", counted(found.profiles.len() as u64, "fact"))),
    )?;
    for profile in found.profiles.iter().take(PROFILES_SHOWN) {
        out.line(format_args!("  {}: {}", profile.user_id, profile.content))?;
    }
    let lessons = counted(found.user_playbooks.len() as u64, "lesson");
    out.line(bold.apply_to(format!("\n{lessons} from single users (user playbooks)")))?;
    out.line(types(out, found))?;
    let (wins, compared) =
        found.shadow.iter().fold((0, 0), |(wins, all), rate| (wins + rate.wins, all + rate.comparisons));
    out.line(bold.apply_to("\nAlternative answers (shadow)"))?;
    out.line(format_args!("  better than what was said in {wins} of {compared} comparisons"))?;
    let rules = counted(found.proposals.len() as u64, "proposal");
    out.line(bold.apply_to(format!("\n{rules} for all users (agent playbooks), which wait for you")))?;
    out.line(proposals(out, &found.proposals))?;
    out.line(format_args!("\nThe server goes on at {} (process {}).\n", server.url, server.process()))?;
    for (what, command) in commands.list() {
        out.line(format_args!("  {what}\n    {}", out.style().cyan().apply_to(command)))?;
    }
    Ok(())
}

fn types(out: &Output, found: &Found) -> String {
    let mut types: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &found.user_playbooks {
        types.entry(&row.playbook_name).or_default().push(row.instruction.as_deref().unwrap_or(&row.content));
    }
    let mut table =
        Table::new(out, &[("type", Align::Left), ("lessons", Align::Right), ("such as", Align::Rest)]);
    for (name, lessons) in types {
        let example = lessons.first().copied().unwrap_or_default();
        table.row([name.to_owned(), lessons.len().to_string(), example.to_owned()]);
    }
    table.render()
}

/// What to do, when, and why it is believed.
fn proposals(out: &Output, rules: &[AgentPlaybookView]) -> String {
    let mut lines = Vec::new();
    for rule in rules.iter().take(PROPOSALS_SHOWN) {
        let id = out.style().bold().apply_to(format!("{:>4}", rule.agent_playbook_id));
        lines.push(format!("{id}  {}", rule.instruction.as_deref().unwrap_or(&rule.content)));
        lines.extend(rule.trigger.as_ref().map(|trigger| format!("      when: {trigger}")));
        let about = [Some(rule.playbook_name.clone()), Some(rule.agent_version.clone()), evidence(rule)];
        let about: Vec<String> = about.into_iter().flatten().collect();
        lines.push(format!("      {}", out.style().dim().apply_to(about.join(" · "))));
    }
    let more = rules.len().saturating_sub(PROPOSALS_SHOWN);
    lines.extend((more > 0).then(|| format!("      and {more} more")));
    lines.join("\n")
}

impl Commands {
    fn new(server: &DemoServer, first: Option<&AgentPlaybookView>) -> Self {
        let program = program();
        let at = |rest: String| format!("{program} --server-url {} {rest}", server.url);
        let rule =
            |verb: &str| first.map(|rule| at(format!("agent-playbooks {verb} {}", rule.agent_playbook_id)));
        let words = first.map(|rule| words(rule.trigger.as_deref().unwrap_or(&rule.content)));
        Self {
            show: rule("show"),
            approve: rule("approve"),
            search: words.map(|words| at(format!("search {}", quoted(&words)))),
            export: at("agent-playbooks export --markdown rules".to_owned()),
            docs: format!("{}/docs", server.url),
            stop: format!("{program} demo --stop {}", quoted(&server.folder().display().to_string())),
        }
    }

    fn list(&self) -> Vec<(&'static str, &str)> {
        let some = [
            ("look at a proposal", self.show.as_deref()),
            ("let it into production", self.approve.as_deref()),
            ("find it as your agent would", self.search.as_deref()),
            ("review all of them as Markdown files", Some(self.export.as_str())),
            ("try the API in a browser", Some(self.docs.as_str())),
            ("stop the server and remove everything", Some(self.stop.as_str())),
        ];
        some.into_iter().filter_map(|(what, command)| Some((what, command?))).collect()
    }
}

fn as_json(server: &DemoServer, found: &Found, commands: &Commands) -> Value {
    json!({
        "url": server.url,
        "folder": server.folder(),
        "process": server.process(),
        "conversations": found.conversations,
        "seconds": found.seconds,
        "profiles": found.profiles,
        "user_playbooks": found.user_playbooks,
        "proposals": found.proposals,
        "shadow": found.shadow,
        "commands": {
            "show": commands.show,
            "approve": commands.approve,
            "search": commands.search,
            "export": commands.export,
            "stop": commands.stop,
        },
    })
}

/// As it was called, so that the commands can be copied.
fn program() -> String {
    std::env::args_os().next().map_or_else(|| "reflexio".to_owned(), |name| quoted(&name.to_string_lossy()))
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+=,".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A question as people ask it: the situation without its subject.
fn words(trigger: &str) -> String {
    let text = trigger.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = ["The user asks ", "The user wants ", "The user says ", "The user "];
    let rest = about.iter().find_map(|start| text.strip_prefix(start)).unwrap_or(&text);
    rest.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}
