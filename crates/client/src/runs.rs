use reflexio_api_types::{
    GetRunQuery, GetRunResponse, GetRunsQuery, GetRunsResponse, UndoRunQuery, UndoRunResponse,
};
use reqwest::Method;

use crate::{Client, Result};

impl Client {
    /// Operations that changed what was learned, latest first.
    pub async fn runs(&self, query: &GetRunsQuery) -> Result<GetRunsResponse> {
        self.get("/api/runs", query).await
    }

    /// One run with what it changed.
    pub async fn run(&self, id: &str, query: &GetRunQuery) -> Result<GetRunResponse> {
        self.get(&path(id), query).await
    }

    /// Puts every row of a run back as it was before, or only says what would happen.
    pub async fn undo_run(&self, id: &str, query: &UndoRunQuery) -> Result<UndoRunResponse> {
        let path = format!("{}/undo", path(id));
        self.answer(&path, self.call(Method::POST, &path).query(query)).await
    }
}

fn path(id: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => (byte as char).to_string(),
        other => format!("%{other:02X}"),
    };
    format!("/api/runs/{}", id.bytes().map(escape).collect::<String>())
}
