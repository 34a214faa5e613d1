use playbook_engine::{Tool, Value};
use playbook_lang::Program;

use crate::command::CommandTools;
use crate::mcp::{McpTools, Offered};

/// Everything outside of a program that its run may call: commands, and the servers of its agents. A command takes the
/// place of a server's tool of the same name.
#[derive(Clone, Default)]
pub struct Tools {
    pub commands: CommandTools,
    pub mcp: McpTools,
}

impl Tools {
    /// What the servers of a program offer. It belongs to the run that begins with it: see [`Tools::known`].
    pub async fn offered(&self, program: &Program) -> Offered {
        self.mcp.offered(program, &self.commands).await
    }

    /// What the engine must know, for a run that began with these tools of servers.
    #[must_use]
    pub fn known(&self, offered: &[Tool]) -> Vec<Tool> {
        let others = offered.iter().filter(|tool| !self.commands.has(&tool.name));
        self.commands.tools().into_iter().chain(others.cloned()).collect()
    }

    pub async fn call(
        &self,
        program: &Program,
        name: &str,
        args: &[(String, Value)],
    ) -> Result<Value, String> {
        if self.commands.has(name) {
            self.commands.call(name, args).await
        } else {
            self.mcp.call(program, name, args).await
        }
    }
}
