use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reflexio_assistant::{Assistant, Error, Operator, Scripts};
use reflexio_types::config::PlaybookOptimizerConfig;
use tempfile::TempDir;

use crate::payload;

fn folder(script: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("assistant.sh"), script);
    folder
}

fn write(file: &Path, script: &str) {
    std::fs::write(file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn config(path: &str) -> PlaybookOptimizerConfig {
    PlaybookOptimizerConfig {
        assistant_script_path: Some(path.to_owned()),
        webhook_timeout_seconds: 2,
        webhook_max_retries: 0,
        webhook_backoff_base_seconds: 0.001,
        ..PlaybookOptimizerConfig::default()
    }
}

fn operator(folder: &TempDir) -> Operator {
    let environment = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    Operator { scripts: Some(Scripts::from(folder.path(), environment).unwrap()), ..Operator::default() }
}

fn assistant(folder: &TempDir) -> Arc<dyn Assistant> {
    operator(folder).assistant(&config("assistant.sh")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_reads_the_payload_and_prints_the_answer() {
    let folder = folder(r#"cat > asked.json; echo "{\"content\": \"$1 $HOME\"}""#);
    let mut config = config("assistant.sh");
    config.assistant_script_args = vec!["two words".to_owned()];
    let assistant = operator(&folder).assistant(&config).unwrap();
    assert_eq!(assistant.respond(&payload()).await, Ok("two words ".to_owned()), "HOME is not inherited");
    let asked = std::fs::read(folder.path().join("asked.json")).unwrap();
    assert_eq!(asked, serde_json::to_vec(&payload()).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_a_script_ends_soon_and_says_what_it_was() {
    for (script, said) in [
        ("echo 'no key' >&2; exit 1", "exit status: 1: no key"),
        ("exit 3", "exit status: 3: it said nothing"),
        ("kill -9 $$", "signal: 9"),
        ("echo Hello", "begins `Hello`"),
        ("echo lost >&2; exit 0", "it is empty; it must be `{\"content\": \"…\"}`; it complained: lost"),
        ("head -c 10000000 /dev/zero | tr '\\0' x", "larger than 1048576 bytes"),
        ("printf '{'; sleep 60", "within 2s"),
        ("sleep 60", "within 2s"),
        ("yes error >&2", "within 2s"),
        (r#"printf '{"content": ""}'"#, "`content` is empty"),
    ] {
        let began = Instant::now();
        let error = assistant(&folder(script)).respond(&payload()).await.unwrap_err().to_string();
        assert!(error.contains(said), "{script}: {error}");
        assert!(began.elapsed() < Duration::from_secs(10), "{script}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn complaints_are_kept_and_cut() {
    let error = assistant(&folder("seq 1 100000 >&2; echo the reason >&2; exit 1")).respond(&payload()).await;
    let words = error.unwrap_err().to_string();
    assert!(words.ends_with("the reason") && words.len() < 1_200, "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_forks_and_lingers_gives_its_answer_and_its_children_are_killed() {
    let folder = folder(r#"sleep 300 & echo $! > child; echo '{"content": "Done."}'"#);
    let began = Instant::now();
    assert_eq!(assistant(&folder).respond(&payload()).await, Ok("Done.".to_owned()));
    assert!(began.elapsed() < Duration::from_secs(2));
    is_gone(&folder).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_takes_too_long_is_killed_with_its_children() {
    let folder = folder("sleep 300 & echo $! > child; wait");
    assert!(matches!(assistant(&folder).respond(&payload()).await, Err(Error::Failed(_))));
    is_gone(&folder).await;
}

/// Until the kernel has ended the process that the script noted.
async fn is_gone(folder: &TempDir) {
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    let about = format!("/proc/{}/stat", child.trim());
    let began = Instant::now();
    loop {
        let state = std::fs::read_to_string(&about).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{about} is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[test]
fn only_files_of_the_folder_run_that_the_operator_allowed() {
    let folder = folder("true");
    let outside = TempDir::new().unwrap();
    write(&outside.path().join("evil.sh"), "true");
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    symlink(outside.path().join("evil.sh"), folder.path().join("link.sh")).unwrap();
    let operator = operator(&folder);
    let inside = folder.path().join("assistant.sh").display().to_string();
    assert!(operator.assistant(&config(&inside)).is_ok());
    let evil = outside.path().join("evil.sh").display().to_string();
    let beside = format!("../{}/evil.sh", outside.path().file_name().unwrap().display());
    for (path, said) in [
        (evil.as_str(), "outside of the folder"),
        (beside.as_str(), "outside of the folder"),
        ("link.sh", "outside of the folder"),
        ("missing.sh", "does not exist"),
        ("notes.txt", "is not executable"),
        (".", "is not a file"),
    ] {
        let error = operator.assistant(&config(path)).err().unwrap().to_string();
        assert!(error.contains(said), "{path}: {error}");
    }
    let error = Operator::default().assistant(&config(&inside)).err().unwrap().to_string();
    assert!(error.contains("--assistant-scripts"), "{error}");
    let both = PlaybookOptimizerConfig { webhook_url: Some("https://x.example/".to_owned()), ..config("a") };
    let error = operator.assistant(&both).err().unwrap().to_string();
    assert!(error.contains("not both"), "{error}");
    let error = operator.assistant(&PlaybookOptimizerConfig::default()).err().unwrap().to_string();
    assert!(error.contains("webhook_url"), "{error}");
}
