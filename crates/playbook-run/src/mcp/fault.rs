//! Why a server gave no result, in words for whoever reads the journal of a run.

use std::time::Duration;

use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// The program or the environment must change.
    #[error("{0}")]
    Setup(String),
    /// The call must change.
    #[error("{0}")]
    Call(String),
    /// The tool itself says so.
    #[error("{0}")]
    Tool(String),
    #[error("its server cannot be reached: {0}")]
    Unreachable(String),
    #[error("its server refuses the credentials (status {0}); check `auth` of `remote`")]
    Credentials(u16),
    #[error("its server answered with status {0}")]
    Status(u16),
    #[error("its server sends us to another address (status {0}); write that one into `url`")]
    Redirect(u16),
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("its server does not speak MCP: {0}")]
    NotMcp(String),
    #[error("its server did not answer within {} seconds", .0.as_secs_f32())]
    Late(Duration),
}

impl From<ServiceError> for Fault {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the list is another crate's and will grow")]
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::Tool(error.message.into_owned()),
            ServiceError::TransportSend(error) => of_transport(error),
            ServiceError::TransportClosed => Self::Unreachable("the connection was closed".to_owned()),
            other => Self::NotMcp(other.to_string()),
        }
    }
}

impl From<ClientInitializeError> for Fault {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the list is another crate's and will grow")]
    fn from(error: ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::TransportError { error, .. } => of_transport(error),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::from(*fallback),
            ClientInitializeError::ConnectionClosed(_) => {
                Self::Unreachable("the connection was closed".to_owned())
            }
            other => Self::NotMcp(other.to_string()),
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the list is another crate's and will grow")]
fn of_transport(error: DynamicTransportError) -> Fault {
    match error.error.downcast::<StreamableHttpError<Fault>>() {
        Ok(error) => match *error {
            StreamableHttpError::Client(fault) => fault,
            StreamableHttpError::SessionExpired => Fault::Unreachable("it lost the session".to_owned()),
            other => Fault::Unreachable(other.to_string()),
        },
        Err(error) => Fault::Unreachable(error.to_string()),
    }
}
