//! Requests into answers: one line for each thing an editor can ask.

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request as ask;
use lsp_types::{TextDocumentPositionParams, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::analysis::Analysis;
use crate::{actions, completion, hover, navigation, outline, renaming};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the parameters cannot be read: {0}")]
    Parameters(#[from] serde_json::Error),
    #[error("`{0}` is not open")]
    NotOpen(String),
    #[error("{0}")]
    Rename(#[from] playbook_lang::RenameError),
    #[error("there is no name here that can be changed")]
    NoName,
    #[error("this server does not know `{0}`")]
    Unknown(String),
}

impl Refusal {
    fn code(&self) -> ErrorCode {
        match self {
            Refusal::Parameters(_) | Refusal::NotOpen(_) => ErrorCode::InvalidParams,
            Refusal::Rename(_) | Refusal::NoName => ErrorCode::RequestFailed,
            Refusal::Unknown(_) => ErrorCode::MethodNotFound,
        }
    }
}

type Answer = Result<Value, Refusal>;

/// Answers a request; `open` reads an open document.
pub(crate) fn answer<'a>(request: Request, open: &dyn Fn(&Uri) -> Option<Analysis<'a>>) -> Response {
    let id = request.id.clone();
    match value(request, open) {
        Ok(value) => Response::new_ok(id, value),
        Err(refusal) => Response::new_err(id, refusal.code() as i32, refusal.to_string()),
    }
}

fn value<'a>(request: Request, open: &dyn Fn(&Uri) -> Option<Analysis<'a>>) -> Answer {
    use ask::Request as _;
    let at = |params: &TextDocumentPositionParams| -> Result<(Analysis<'a>, usize), Refusal> {
        let analysis = find(open, &params.text_document.uri)?;
        let offset = analysis.index().offset(params.position);
        Ok((analysis, offset))
    };
    let Request { method, params, .. } = request;
    match method.as_str() {
        ask::HoverRequest::METHOD => {
            let params: lsp_types::HoverParams = read(params)?;
            let (analysis, offset) = at(&params.text_document_position_params)?;
            shown(&hover::hover(&analysis, offset))
        }
        ask::GotoDefinition::METHOD => {
            let params: lsp_types::GotoDefinitionParams = read(params)?;
            let (analysis, offset) = at(&params.text_document_position_params)?;
            shown(&navigation::definition(&analysis, offset))
        }
        ask::References::METHOD => {
            let params: lsp_types::ReferenceParams = read(params)?;
            let (analysis, offset) = at(&params.text_document_position)?;
            let with_definition = params.context.include_declaration;
            shown(&navigation::references(&analysis, offset, with_definition))
        }
        ask::Completion::METHOD => {
            let params: lsp_types::CompletionParams = read(params)?;
            let (analysis, offset) = at(&params.text_document_position)?;
            shown(&completion::complete(&analysis, offset))
        }
        ask::PrepareRenameRequest::METHOD => {
            let params: TextDocumentPositionParams = read(params)?;
            let (analysis, offset) = at(&params)?;
            shown(&renaming::prepare(&analysis, offset)?)
        }
        ask::Rename::METHOD => {
            let params: lsp_types::RenameParams = read(params)?;
            let (analysis, offset) = at(&params.text_document_position)?;
            renaming::rename(&analysis, offset, &params.new_name)
        }
        ask::Formatting::METHOD => {
            let params: lsp_types::DocumentFormattingParams = read(params)?;
            shown(&actions::format(&find(open, &params.text_document.uri)?))
        }
        ask::CodeActionRequest::METHOD => {
            let params: lsp_types::CodeActionParams = read(params)?;
            shown(&actions::fixes(&find(open, &params.text_document.uri)?, params.range))
        }
        ask::DocumentSymbolRequest::METHOD => {
            let params: lsp_types::DocumentSymbolParams = read(params)?;
            shown(&outline::outline(&find(open, &params.text_document.uri)?))
        }
        _ => Err(Refusal::Unknown(method)),
    }
}

fn find<'a>(open: &dyn Fn(&Uri) -> Option<Analysis<'a>>, uri: &Uri) -> Result<Analysis<'a>, Refusal> {
    open(uri).ok_or_else(|| Refusal::NotOpen(uri.as_str().to_owned()))
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    Ok(serde_json::from_value(params)?)
}

fn shown<T: Serialize>(value: &T) -> Answer {
    Ok(serde_json::to_value(value)?)
}
