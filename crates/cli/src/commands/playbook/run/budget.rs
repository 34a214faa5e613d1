use clap::Args;
use playbook_run::engine::Budget;
use reflexio_types::config::micros;

/// What a run may use; at a limit it stops with what it has, and says which limit it was.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct BudgetArgs {
    /// Calls of a model [default: 200].
    #[arg(long, value_name = "COUNT")]
    max_model_calls: Option<u64>,
    /// Tokens of all calls together [default: 2000000].
    #[arg(long, value_name = "COUNT")]
    max_tokens: Option<u64>,
    /// What models may cost, as far as their prices are known [default: 5].
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,
    /// Seconds from the start, waiting included [default: a week].
    #[arg(long, value_name = "SECONDS")]
    max_time: Option<u64>,
    /// Turns of one loop [default: 10000].
    #[arg(long, value_name = "COUNT")]
    max_loop_turns: Option<u64>,
}

impl BudgetArgs {
    pub(super) fn budget(&self) -> Budget {
        let usual = Budget::default();
        Budget {
            model_calls: self.max_model_calls.unwrap_or(usual.model_calls),
            tokens: self.max_tokens.unwrap_or(usual.tokens),
            cost_micros: self.max_cost.map_or(usual.cost_micros, |dollars| micros(dollars.max(0.0))),
            wall_ms: self.max_time.map_or(usual.wall_ms, |seconds| seconds.saturating_mul(1_000)),
            loop_turns: self.max_loop_turns.unwrap_or(usual.loop_turns),
            ..usual
        }
    }
}
