//! Any text is a file of tests or has mistakes with their lines; what is a file of tests can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::{Program, SourceFile};

#[path = "../../crates/playbook-run/src/testing/mod.rs"]
#[allow(dead_code, unused_imports)]
mod testing;
#[path = "../../crates/playbook-run/src/tool.rs"]
#[allow(dead_code)]
mod tool;

/// The programs a file may name. Without one of them it is played with the first.
const PROGRAMS: [(&str, &str); 6] = [
    ("order_status.md", include_str!("../../examples/playbooks/order_status.md")),
    ("refund.md", include_str!("../../examples/playbooks/refund.md")),
    ("onboarding.md", include_str!("../../examples/playbooks/onboarding.md")),
    ("tax.md", include_str!("../../examples/playbooks/tax.md")),
    ("watchman.md", include_str!("../../examples/playbooks/watchman.md")),
    ("research.md", include_str!("../../examples/playbooks/research.md")),
];

fuzz_target!(|text: &str| {
    let count = text.lines().count().max(1);
    match testing::Suite::parse(text) {
        Err(mistakes) => {
            assert!(!mistakes.is_empty());
            assert!(mistakes.iter().all(|mistake| (1..=count).contains(&mistake.line)), "{mistakes:?}");
        }
        Ok(suite) => {
            let named = PROGRAMS.iter().find(|(name, _)| suite.files.iter().any(|file| file == name));
            let (name, program) = named.unwrap_or(&PROGRAMS[0]);
            for case in suite.cases.iter().take(4) {
                let played = case.play(Program::parse(vec![SourceFile::new(*name, *program)]));
                let problems = played.problems.iter();
                assert!(problems.clone().all(|problem| (1..=count).contains(&problem.line)), "{played:?}");
            }
        }
    }
});
