//! Every use case of Reflexio, whoever asks: HTTP, the command line or a test.
//!
//! This is where ids and times are made, permissions are checked and states change. Nothing above it
//! decides anything; nothing below it knows why. It must never know HTTP, wire formats or a concrete
//! database. Start reading at [`App`] and [`App::publish`].

mod access;
mod agent_playbook_imports;
mod agent_playbook_revisions;
mod agent_playbooks;
mod aggregation;
mod analytics;
mod carry_over;
mod configs;
mod context;
mod costs;
mod embeddings;
mod error;
mod evaluation;
mod ids;
mod impact;
mod injections;
mod interactions;
mod jobs;
mod journal;
mod keys;
mod learning;
mod optimization;
mod outcomes;
mod playbook_runs;
mod profiles;
mod publish;
mod requests;
mod review;
mod runs;
mod search;
mod secrets;
mod server_state;
mod shadow_comparisons;
mod upkeep;
mod user_playbooks;

use std::sync::Arc;

pub use agent_playbook_imports::{ImportAction, ImportOutcome, ImportedRule, RuleOutcome};
pub use agent_playbook_revisions::{AgentPlaybookDiff, DiffPart, FieldDiff};
pub use agent_playbooks::NewAgentPlaybook;
pub use aggregation::AggregationOutcome;
pub use analytics::{
    Counted, HealthCheck, HealthState, HealthTerms, PlaybookAnalytics, PlaybookHealth, PlaybookReview,
    PlaybookTotals, VersionAnalytics,
};
pub use carry_over::{Carried, CarriedOver, CarryOver, LeftOut};
pub use configs::ConfigEdit;
pub use context::{ContextBlock, ContextRequest};
pub use costs::{Budgets, CostSettings, Costs, Spending, Today};
pub use embeddings::{Connect, EmbedderChoice, EmbeddingStatus, Pace};
pub use error::{Error, Result};
pub use evaluation::{GradeRequest, Graded, Regeneration, SkippedGrade};
pub use impact::{Comparison, Effect, IMPACT_CAVEAT, RuleImpact, WordingImpact};
pub use injections::{InjectionSettings, NewInjection, Prompt, ReportedInjection};
pub use interactions::Among;
pub use jobs::JobPage;
pub use keys::NewKey;
pub use learning::{
    LearningState, LearningStatus, ModelSettings, Selection, Started, Wanted, WorkerSettings, Workers,
};
pub use optimization::{LiftRun, OptimizationDetail, OptimizationPage, OptimizationPlan};
pub use outcomes::{MarkedOutcome, OutcomeDraft, OutcomeRefusal};
pub use playbook_run::{
    AssistantRequest, ChatMessage, CommandTool, CommandTools, GivenPlaybook, McpOperator, McpTools, Tools,
};
pub use playbook_runs::{
    PlaybookFile, PlaybookInfo, PlaybookMessage, PlaybookProgram, PlaybookSettings, PlaybookState,
    StartPlaybook,
};
pub use profiles::NewProfile;
pub use publish::{Publish, PublishOutcome, TurnDraft, Wait};
pub use runs::{AsRun, RunDetail, RunReport, import_run};
pub use search::{EntityKind, Found, Hit, PastTurn, SearchMode, SearchOptions, UnifiedFound, UnifiedSearch};
pub use secrets::MasterKey;
pub use server_state::Whoami;
pub use shadow_comparisons::{Compare, ShadowComparisonPage};
pub use user_playbooks::NewUserPlaybook;

pub use reflexio_optimize::{Estimate as OptimizationEstimate, Lift};
pub use reflexio_search::fusion::Explained;
use reflexio_store::SharedStore;
use reflexio_types::{Clock, Timestamp};

/// The product: a store, a clock and the rules between them.
pub struct App {
    store: SharedStore,
    clock: Arc<dyn Clock>,
    master_key: Option<MasterKey>,
    /// A key from the environment, which needs no stored one.
    static_key: Option<keys::StaticKey>,
    key_cache: keys::KeyCache,
    embeddings: embeddings::Embeddings,
    served: search::Served,
    learning: learning::Learning,
    books: costs::Books,
    assistants: reflexio_assistant::Operator,
    injections: injections::InjectionLog,
    playbooks: playbook_runs::Programs,
}

/// What an [`App`] is made of.
pub struct Options {
    pub store: SharedStore,
    pub clock: Arc<dyn Clock>,
    /// Seals provider secrets in the store.
    pub master_key: Option<MasterKey>,
    /// `REFLEXIO_API_KEY`: full access to the default org.
    pub api_key: Option<String>,
    pub embedder: EmbedderChoice,
    /// Which models learn; with none, the built-in learner does.
    pub models: ModelSettings,
    /// What models may cost, and how long that is kept in detail.
    pub costs: CostSettings,
    /// Which assistants the optimiser may replay conversations with.
    pub assistants: reflexio_assistant::Operator,
    /// How long it is kept which rules agents got.
    pub injections: InjectionSettings,
    /// Markdown playbooks that can be run.
    pub playbooks: PlaybookSettings,
}

impl App {
    pub fn new(options: Options) -> Self {
        let books = costs::Books::new(Arc::clone(&options.store), Arc::clone(&options.clock), options.costs);
        let injections = injections::InjectionLog::new(Arc::clone(&options.store), options.injections);
        Self {
            store: options.store,
            clock: options.clock,
            master_key: options.master_key,
            // `REFLEXIO_API_KEY=` in an environment means that there is none.
            static_key: options
                .api_key
                .as_deref()
                .filter(|key| !key.trim().is_empty())
                .map(keys::StaticKey::new),
            key_cache: keys::KeyCache::default(),
            embeddings: embeddings::Embeddings::new(options.embedder),
            served: search::Served::default(),
            learning: learning::Learning::new(options.models),
            books,
            assistants: options.assistants,
            injections,
            playbooks: playbook_runs::Programs::new(options.playbooks),
        }
    }

    /// The time by this app's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
