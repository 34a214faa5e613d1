use reflexio_types::{JobId, UserId};

/// What a call is for: the books, the limits and saved answers go by it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Purpose {
    /// The run it belongs to. One that is named after its job ([`JobId::run`]) is never asked the same twice.
    pub run: Option<String>,
    /// Whose words the call is about, if they are one user's.
    pub user: Option<UserId>,
    /// What asked, in the words of the configuration: `profile, playbook:refunds`.
    pub config: Option<String>,
}

impl Purpose {
    pub fn of_run(run: impl Into<String>) -> Self {
        Self { run: Some(run.into()), ..Self::default() }
    }

    pub fn of_job(job: JobId) -> Self {
        Self::of_run(job.run())
    }

    #[must_use]
    pub fn about(mut self, user: &UserId) -> Self {
        self.user = Some(user.clone());
        self
    }

    /// All that ask together; a call that several share is theirs together.
    #[must_use]
    pub fn asked_by(mut self, configs: impl IntoIterator<Item = String>) -> Self {
        let configs: Vec<String> = configs.into_iter().collect();
        self.config = Some(configs.join(", ")).filter(|text| !text.is_empty());
        self
    }
}
