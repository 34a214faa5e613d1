//! Playbooks that every agent has.

use std::collections::BTreeMap;

use playbook_lang::Value;

use super::Run;
use super::frame::ReturnsTo;
use super::state::Instance;

impl Run {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
        returns_to: &ReturnsTo,
    ) -> Result<(), String> {
        let mut values = args.into_iter().chain(named.into_iter().map(|(_, value)| value));
        let mut next = || values.next().unwrap_or_default();
        let value = match name {
            "Say" | "SendMessage" => {
                let (to, text) = (next(), next());
                self.say(&crate::eval::shown(&to), crate::eval::shown(&text));
                Value::None
            }
            "SaveArtifact" => {
                let (name, _, value) = (next(), next(), next());
                crate::eval::is_storable(&value)?;
                self.artifacts().insert(crate::eval::shown(&name), value);
                Value::None
            }
            "LoadArtifact" => {
                let name = crate::eval::shown(&next());
                self.artifacts()
                    .get(&name)
                    .cloned()
                    .ok_or_else(|| format!("there is no artifact `{name}`"))?
            }
            "EndProgram" => {
                self.end_program();
                return Ok(());
            }
            other => return Err(format!("`{other}` is not supported here; offer it as a tool")),
        };
        if let Some(frame) = self.state.frames.last_mut() {
            match returns_to {
                ReturnsTo::Memo => frame.memo.push(Ok(value)),
                ReturnsTo::Operation => frame.returned = Some(Ok(value)),
                ReturnsTo::Nobody | ReturnsTo::Veto | ReturnsTo::Run => {}
            }
        }
        Ok(())
    }

    fn artifacts(&mut self) -> &mut BTreeMap<String, Value> {
        let at = self.state.frames.last().map_or(0, |frame| frame.instance);
        if self.state.instances.len() <= at {
            self.state.instances.resize_with(at + 1, Instance::default);
        }
        &mut self.state.instances[at].artifacts
    }
}
