use reflexio_api_types::{GetJobsQuery, GetJobsResponse, JobResponse, JobView};
use reqwest::Method;

use crate::{Client, Result};

impl Client {
    /// Background work, latest arrival first.
    pub async fn jobs(&self, query: &GetJobsQuery) -> Result<GetJobsResponse> {
        self.get("/api/jobs", query).await
    }

    pub async fn job(&self, id: i64) -> Result<JobView> {
        let answer: JobResponse = self.get(&format!("/api/jobs/{id}"), &()).await?;
        Ok(answer.job)
    }

    pub async fn retry_job(&self, id: i64) -> Result<JobView> {
        self.change_job(id, "retry").await
    }

    pub async fn cancel_job(&self, id: i64) -> Result<JobView> {
        self.change_job(id, "cancel").await
    }

    async fn change_job(&self, id: i64, verb: &str) -> Result<JobView> {
        let path = format!("/api/jobs/{id}/{verb}");
        let answer: JobResponse = self.answer(&path, self.call(Method::POST, &path)).await?;
        Ok(answer.job)
    }
}
