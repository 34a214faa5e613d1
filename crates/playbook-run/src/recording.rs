use std::collections::{BTreeMap, VecDeque};

use playbook_engine::{Entry, Event, Value};

/// What tools gave in earlier runs, by the tool and its arguments. A replay uses it instead of calling them again.
#[derive(Clone, Debug, Default)]
pub struct Recording(BTreeMap<String, VecDeque<Result<Value, String>>>);

impl Recording {
    /// Takes what tools gave in a run.
    pub fn add(&mut self, journal: &[Entry]) {
        let mut calls: BTreeMap<u64, String> = BTreeMap::new();
        for entry in journal {
            if let Entry::ToolCalled { call, tool, args } = entry {
                calls.insert(*call, key(tool, args));
            }
            let Entry::Input { event, .. } = entry else { continue };
            let (call, result) = match &**event {
                Event::ToolResult { call, value } => (call, Ok(value.clone())),
                Event::ToolFailed { call, reason } => (call, Err(reason.clone())),
                Event::Start(_)
                | Event::Message { .. }
                | Event::Answer { .. }
                | Event::ModelFailed { .. }
                | Event::Unaffordable { .. }
                | Event::Timer { .. }
                | Event::Approval { .. }
                | Event::Recalled { .. }
                | Event::Continue { .. }
                | Event::Tick => continue,
            };
            if let Some(key) = calls.remove(call) {
                self.0.entry(key).or_default().push_back(result);
            }
        }
    }

    /// Takes what tools gave in the run that is replayed: where it has a result, no other run is asked.
    pub fn prefer(&mut self, journal: &[Entry]) {
        let mut replayed = Self::default();
        replayed.add(journal);
        self.0.extend(replayed.0);
    }

    /// What the tool gave then: one result after the other, the last one for ever.
    pub fn next(&mut self, tool: &str, args: &[(String, Value)]) -> Option<Result<Value, String>> {
        let results = self.0.get_mut(&key(tool, args))?;
        if results.len() > 1 { results.pop_front() } else { results.front().cloned() }
    }
}

fn key(tool: &str, args: &[(String, Value)]) -> String {
    serde_json::to_string(&(tool, args)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gave(value: &str) -> Vec<Entry> {
        let args = [("id".to_owned(), Value::from("p7"))];
        vec![
            Entry::ToolCalled { call: 1, tool: "Find".into(), args: args.into() },
            Entry::Input { at: 0, event: Box::new(Event::ToolResult { call: 1, value: Value::from(value) }) },
        ]
    }

    #[test]
    fn the_run_that_is_replayed_stands_above_all_others() {
        let mut recording = Recording::default();
        recording.add(&gave("1"));
        recording.add(&gave("2"));
        recording.prefer(&gave("3"));
        let args = [("id".to_owned(), Value::from("p7"))];
        for _ in 0..2 {
            assert_eq!(recording.next("Find", &args), Some(Ok(Value::from("3"))));
        }
        assert_eq!(recording.next("Find", &[]), None);
        recording.prefer(&[]);
        assert_eq!(recording.next("Find", &args), Some(Ok(Value::from("3"))), "nothing is lost");
    }
}
