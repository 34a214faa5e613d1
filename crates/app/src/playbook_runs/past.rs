//! What earlier runs of a program leave for replays: the results of its tools, and how often it asked a model.

use playbook_run::Recording;
use playbook_run::engine::{Entry, Event, Tool};
use reflexio_store::{Page, PlaybookRunFilter, Result, SharedStore, StoredPlaybookRun};
use reflexio_types::{OrgId, PlaybookRunId, TimeRange, Timestamp};

use super::programs::Source;

/// The last runs that count.
const RUNS: usize = 20;

/// The last runs of a program, as they were at a moment.
#[derive(Default)]
pub(crate) struct Past {
    pub(super) recording: Recording,
    /// What servers offered in the newest run that knew: the arguments of calls are named after that.
    pub(super) tools: Vec<Tool>,
    pub(crate) runs: usize,
    /// Calls of models, and messages of users.
    pub(crate) asked: u64,
    pub(crate) heard: u64,
}

impl Past {
    pub(crate) async fn of(
        store: &SharedStore,
        org: &OrgId,
        program: &str,
        until: Timestamp,
    ) -> Result<Self> {
        let filter = PlaybookRunFilter {
            program: Some(program.to_owned()),
            created: TimeRange { start: None, end: Some(until) },
            ..PlaybookRunFilter::default()
        };
        let (runs, _) = store.playbook_runs(org, &filter, Page::first(RUNS)).await?;
        let mut past = Self { runs: runs.len(), ..Self::default() };
        for run in runs.into_iter().rev() {
            past.add(&entries_until(store, org, &run.id, until).await?);
            past.know(store.playbook_run(org, &run.id).await?);
        }
        Ok(past)
    }

    fn know(&mut self, run: Option<StoredPlaybookRun>) {
        let source = run.and_then(|run| serde_json::from_str::<Source>(&run.source).ok());
        if let Some(source) = source.filter(|source| !source.tools.is_empty()) {
            self.tools = source.tools;
        }
    }

    fn add(&mut self, entries: &[Entry]) {
        self.recording.add(entries);
        for entry in entries {
            if let Entry::Asked { .. } = entry {
                self.asked += 1;
            } else if let Entry::Input { event, .. } = entry {
                if let Event::Message { .. } = &**event {
                    self.heard += 1;
                } else if let Event::Answer { used, .. } = &**event {
                    self.asked += used.more_calls;
                }
            }
        }
    }
}

/// The journal of a run, if it is one of this program.
pub(super) async fn recorded_run(
    store: &SharedStore,
    org: &OrgId,
    program: &str,
    run: &PlaybookRunId,
    until: Timestamp,
) -> Result<Option<Vec<Entry>>> {
    match store.playbook_run(org, run).await? {
        Some(found) if found.run.program == program => entries_until(store, org, run, until).await.map(Some),
        Some(_) | None => Ok(None),
    }
}

/// What was in a journal at that moment. An entry that cannot be read is one of another version, and of no use here.
async fn entries_until(
    store: &SharedStore,
    org: &OrgId,
    run: &PlaybookRunId,
    until: Timestamp,
) -> Result<Vec<Entry>> {
    let stored = store.playbook_journal(org, run, 0, usize::MAX).await?;
    Ok(cut(stored.iter().filter_map(|entry| serde_json::from_str(entry).ok()), until))
}

/// What comes of an input stands behind it, so everything behind a later one is later, too.
fn cut(entries: impl Iterator<Item = Entry>, until: Timestamp) -> Vec<Entry> {
    let last = millis(until).saturating_add(999);
    entries.take_while(|entry| !matches!(entry, Entry::Input { at, .. } if *at > last)).collect()
}

pub(super) fn millis(at: Timestamp) -> u64 {
    u64::try_from(at.0).unwrap_or(0).saturating_mul(1_000)
}

#[cfg(test)]
mod tests {
    use playbook_run::engine::Value;

    use super::*;

    fn found(call: u64, at: u64, day: &str) -> [Entry; 2] {
        let event = Event::ToolResult { call, value: Value::from(day) };
        let called = Entry::ToolCalled { call, tool: "Find".into(), args: Box::default() };
        [called, Entry::Input { at, event: Box::new(event) }]
    }

    #[test]
    fn what_was_recorded_after_the_moment_is_not_seen() {
        let journal = [found(1, 5_000, "Monday"), found(2, 7_000, "Friday")].concat();
        let gave = |until: i64| {
            let mut past = Past::default();
            past.add(&cut(journal.iter().cloned(), Timestamp(until)));
            [past.recording.next("Find", &[]), past.recording.next("Find", &[])]
        };
        let day = |day: &str| Some(Ok(Value::from(day)));
        assert_eq!(gave(4), [None, None]);
        assert_eq!(gave(5), [day("Monday"), day("Monday")]);
        assert_eq!(gave(7), [day("Monday"), day("Friday")]);
    }

    #[test]
    fn calls_and_messages_are_counted_with_what_was_repeated() {
        let used = playbook_run::engine::Used { more_calls: 2, ..Default::default() };
        let input = |event| Entry::Input { at: 0, event: Box::new(event) };
        let journal = [
            input(Event::Message { text: "Hi".to_owned() }),
            input(Event::Answer { request: 1, answer: serde_json::Value::Null, used }),
        ];
        let mut past = Past::default();
        past.add(&journal);
        assert_eq!((past.asked, past.heard), (2, 1));
    }
}
