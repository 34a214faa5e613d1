//! The direction of dependencies between crates, as `ARCHITECTURE.md` draws it.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// What each crate may depend on of ours. An edge that is not here is a decision: make it in
/// `ARCHITECTURE.md` first.
const ALLOWED: &[(&str, &[&str])] = &[
    ("gepa", &[]),
    ("playbook-lang", &[]),
    ("playbook-engine", &["playbook-lang"]),
    ("playbook-lsp", &["playbook-lang"]),
    ("playbook-run", &["playbook-engine", "playbook-lang", "reflexio-llm"]),
    ("reflexio-types", &[]),
    ("reflexio-search", &["reflexio-types"]),
    ("reflexio-vectors", &[]),
    ("reflexio-postings", &["reflexio-search", "reflexio-vectors"]),
    ("reflexio-embed", &[]),
    ("reflexio-cluster", &["reflexio-search", "reflexio-vectors"]),
    ("reflexio-llm", &["reflexio-types"]),
    (
        "reflexio-learn",
        &["reflexio-cluster", "reflexio-llm", "reflexio-search", "reflexio-store", "reflexio-types"],
    ),
    ("reflexio-evaluate", &["reflexio-learn", "reflexio-llm", "reflexio-types"]),
    ("reflexio-assistant", &["reflexio-llm", "reflexio-types"]),
    (
        "reflexio-optimize",
        &["gepa", "reflexio-assistant", "reflexio-learn", "reflexio-llm", "reflexio-types"],
    ),
    ("reflexio-api-types", &["reflexio-types"]),
    ("reflexio-store", &["reflexio-search", "reflexio-types"]),
    (
        "reflexio-store-sqlite",
        &["reflexio-postings", "reflexio-search", "reflexio-store", "reflexio-types", "reflexio-vectors"],
    ),
    ("reflexio-store-tests", &["reflexio-search", "reflexio-store", "reflexio-types"]),
    ("reflexio-jobs", &["reflexio-store", "reflexio-types"]),
    (
        "reflexio-app",
        &[
            "reflexio-assistant",
            "playbook-lang",
            "playbook-run",
            "reflexio-cluster",
            "reflexio-embed",
            "reflexio-evaluate",
            "reflexio-jobs",
            "reflexio-learn",
            "reflexio-llm",
            "reflexio-optimize",
            "reflexio-search",
            "reflexio-store",
            "reflexio-types",
        ],
    ),
    ("reflexio-server", &["reflexio-api-types", "reflexio-app", "reflexio-store", "reflexio-types"]),
    ("reflexio-client", &["reflexio-api-types", "reflexio-types"]),
    (
        "reflexio-cli",
        &[
            "playbook-lang",
            "playbook-lsp",
            "playbook-run",
            "reflexio-api-types",
            "reflexio-app",
            "reflexio-assistant",
            "reflexio-client",
            "reflexio-cluster",
            "reflexio-embed",
            "reflexio-llm",
            "reflexio-server",
            "reflexio-store",
            "reflexio-store-sqlite",
            "reflexio-types",
        ],
    ),
    (
        "reflexio-test-support",
        &[
            "reflexio-app",
            "reflexio-embed",
            "reflexio-llm",
            "reflexio-server",
            "reflexio-store",
            "reflexio-store-sqlite",
            "reflexio-types",
        ],
    ),
    (
        "reflexio-bench",
        &[
            "reflexio-api-types",
            "reflexio-jobs",
            "reflexio-learn",
            "reflexio-llm",
            "reflexio-store",
            "reflexio-store-sqlite",
            "reflexio-types",
        ],
    ),
];

#[test]
fn no_crate_depends_on_one_that_is_above_it() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    for (package, dependencies) in our_dependencies() {
        let Some(may) = allowed.get(package.as_str()) else {
            panic!("`{package}` is not in the list of this test and of ARCHITECTURE.md");
        };
        for dependency in dependencies {
            assert!(may.contains(&dependency.as_str()), "`{package}` must not depend on `{dependency}`");
        }
    }
}

/// Normal dependencies between crates of this workspace; tests may reach wherever they need.
fn our_dependencies() -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output();
    let metadata: Value =
        output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ours = |dependency: &&Value| dependency["kind"].is_null() && dependency["path"].is_string();
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    assert!(packages.len() >= 11, "cargo metadata names the crates of this workspace: {metadata}");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten().filter(ours);
            (text(&package["name"]), dependencies.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}
