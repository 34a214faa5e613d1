//! One server and the connection to it. It is made at the first use, kept, and made again when it broke.

use std::sync::Arc;

use playbook_engine::Value;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
    Tool as Described,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig as HttpConfig;
use rmcp::{RoleClient, transport};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::fault::Fault;
use super::http::Http;
use super::process::Process;
use super::remote::{Place, Remote};
use super::{answer, schema};

/// Pages of a list: a server that always has one more is not listened to for ever.
const MOST_PAGES: usize = 100;

pub(super) struct Server {
    remote: Remote,
    session: Mutex<Option<Arc<Session>>>,
}

struct Session {
    service: RunningService<RoleClient, ClientConfig>,
    /// What was listed last.
    tools: Mutex<Option<Arc<[Described]>>>,
    process: Option<Process>,
}

impl Server {
    pub(super) fn new(remote: Remote) -> Self {
        Self { remote, session: Mutex::new(None) }
    }

    pub(super) async fn tools(&self) -> Result<Arc<[Described]>, Fault> {
        self.in_time(async |session| session.listed().await).await
    }

    /// A call that may have reached the server is not repeated.
    pub(super) async fn call(&self, tool: &str, args: &[(String, Value)]) -> Result<Value, Fault> {
        self.in_time(async |session| {
            let request = match request(&session.known().await?, tool, args) {
                Ok(request) => request,
                // Its tools may have changed since.
                Err(_) => request(&session.listed().await?, tool, args)?,
            };
            answer::value(session.service.call_tool(request).await?)
        })
        .await
    }

    async fn in_time<T>(&self, work: impl AsyncFnOnce(&Session) -> Result<T, Fault>) -> Result<T, Fault> {
        let limit = self.remote.timeout;
        let done = timeout(limit, async {
            let session = self.session().await?;
            match work(&session).await {
                Ok(value) => Ok(value),
                Err(fault) => Err(session.explained(fault).await),
            }
        });
        let done = done.await.unwrap_or(Err(Fault::Late(limit)));
        // After anything but an answer nobody knows how the connection stands.
        if matches!(&done, Err(Fault::Unreachable(_) | Fault::Late(_) | Fault::NotMcp(_))) {
            self.session.lock().await.take();
        }
        done.map_err(|fault| self.remote.scrubbed(fault))
    }

    async fn session(&self) -> Result<Arc<Session>, Fault> {
        let mut held = self.session.lock().await;
        if let Some(session) = held.as_ref().filter(|session| session.is_alive()) {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(Session::open(&self.remote.place).await?);
        *held = Some(Arc::clone(&session));
        Ok(session)
    }
}

fn request(
    known: &[Described],
    tool: &str,
    args: &[(String, Value)],
) -> Result<CallToolRequestParams, Fault> {
    let tool = schema::find(known, tool)?;
    let args = schema::arguments(tool, args)?;
    Ok(CallToolRequestParams::new(tool.name.clone()).with_arguments(args))
}

impl Session {
    async fn open(place: &Place) -> Result<Self, Fault> {
        let (service, process) = match place {
            Place::Http { url, credentials } => {
                let config = HttpConfig::with_uri(url.as_str());
                let http = Http::new(credentials.clone())?;
                (connected(StreamableHttpClientTransport::with_client(http, config)).await?, None)
            }
            Place::Command(command) => {
                let (process, pipes) = Process::start(command)?;
                match connected(pipes).await {
                    Ok(service) => (service, Some(process)),
                    Err(fault) => return Err(process.explain(fault).await),
                }
            }
        };
        Ok(Self { service, tools: Mutex::new(None), process })
    }

    async fn explained(&self, fault: Fault) -> Fault {
        match &self.process {
            Some(process) => process.explain(fault).await,
            None => fault,
        }
    }

    async fn known(&self) -> Result<Arc<[Described]>, Fault> {
        let known = self.tools.lock().await.clone();
        match known {
            Some(tools) => Ok(tools),
            None => self.listed().await,
        }
    }

    fn is_alive(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    async fn listed(&self) -> Result<Arc<[Described]>, Fault> {
        let (mut tools, mut page) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let found = self.service.list_tools(page).await?;
            tools.extend(found.tools);
            if found.next_cursor.is_none() {
                break;
            }
            page = Some(rmcp::model::PaginatedRequestParams::default().with_cursor(found.next_cursor));
        }
        let tools: Arc<[Described]> = tools.into();
        *self.tools.lock().await = Some(Arc::clone(&tools));
        Ok(tools)
    }
}

async fn connected<T, E, A>(transport: T) -> Result<RunningService<RoleClient, ClientConfig>, Fault>
where
    T: transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let us = Implementation::new("reflexio", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), us);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    Ok(client.serve_with_lifecycle(transport, lifecycle).await?)
}
