use crate::assert_snapshot;
use crate::support::reflexio;

const COMMANDS: [&str; 98] = [
    "",
    "serve",
    "demo",
    "publish",
    "search",
    "interactions",
    "interactions list",
    "interactions show",
    "interactions delete",
    "profiles",
    "profiles list",
    "profiles show",
    "profiles delete",
    "profiles upgrade",
    "profiles downgrade",
    "user-playbooks",
    "user-playbooks list",
    "user-playbooks show",
    "user-playbooks delete",
    "user-playbooks upgrade",
    "user-playbooks downgrade",
    "agent-playbooks",
    "agent-playbooks list",
    "agent-playbooks show",
    "agent-playbooks impact",
    "agent-playbooks diff",
    "agent-playbooks history",
    "agent-playbooks approve",
    "agent-playbooks reject",
    "agent-playbooks edit",
    "agent-playbooks export",
    "agent-playbooks import",
    "agent-playbooks lift",
    "agent-playbooks carry",
    "agent-playbooks delete",
    "optimize",
    "optimizations",
    "optimizations list",
    "optimizations show",
    "optimizations watch",
    "optimizations cancel",
    "sessions",
    "sessions outcome",
    "sessions outcomes",
    "evaluations",
    "evaluations list",
    "evaluations learnings",
    "evaluations grade",
    "evaluations regenerate",
    "evaluations progress",
    "shadow",
    "shadow list",
    "shadow rates",
    "shadow run",
    "report",
    "playbook",
    "playbook check",
    "playbook fmt",
    "playbook explain",
    "playbook run",
    "playbook test",
    "playbook assistant",
    "playbook promote",
    "playbook lsp",
    "runs",
    "runs list",
    "runs show",
    "runs undo",
    "jobs",
    "jobs list",
    "jobs show",
    "jobs retry",
    "jobs cancel",
    "users clear",
    "config",
    "config show",
    "config set",
    "config edit",
    "config check",
    "costs",
    "embeddings",
    "embeddings status",
    "embeddings rebuild",
    "keys",
    "keys create",
    "keys list",
    "keys revoke",
    "status",
    "doctor",
    "backup",
    "restore",
    "export",
    "import",
    "dev",
    "dev placeholders",
    "dev cluster",
    "dev duplicates",
    "openapi",
];

#[test]
fn every_command_explains_itself() {
    for command in COMMANDS {
        let output = reflexio(command).arg("--help").ok();
        assert_eq!(output.stderr, "");
        let own = output.stdout.split("Global options:").next().unwrap_or_default().trim_end().to_owned();
        let text = if command.is_empty() { output.stdout } else { own };
        let name = if command.is_empty() { "reflexio" } else { command };
        assert_snapshot!(format!("help {name}").replace(' ', "_"), text);
    }
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = reflexio("completions").arg(shell).ok().stdout;
        assert!(script.contains("agent-playbooks"), "{shell}");
    }
}

#[test]
fn the_version_is_told_to_people_and_machines() {
    assert_eq!(reflexio("version").ok().stdout, format!("reflexio {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(reflexio("--version").ok().stdout, format!("reflexio {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(reflexio("version").json()["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_openapi_document_is_printed_without_a_server() {
    let document = reflexio("openapi").json();
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.")));
    assert!(document["paths"]["/api/publish_interaction"]["post"].is_object());
}
