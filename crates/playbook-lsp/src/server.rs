//! The conversation with an editor: open documents, requests in, answers and diagnostics out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use lsp_server::{Connection, Message, Notification};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Files;
use crate::actions;
use crate::analysis::{Analysis, Reading, root_of};
use crate::answer;
use crate::document::Document;

/// Why the conversation ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the editor broke the protocol")]
    Protocol(#[from] lsp_server::ProtocolError),
    #[error("the editor is gone")]
    Gone,
}

/// Serves an editor until it says goodbye or goes away.
pub fn serve(connection: &Connection, files: &dyn Files) -> Result<(), Error> {
    let (id, _) = connection.initialize_start()?;
    let info = json!({ "name": "reflexio", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": info }))?;
    Server { connection, files, documents: Vec::new(), readings: RefCell::default(), is_stale: false }.run()
}

fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "completionProvider": { "triggerCharacters": ["$", "."] },
        "renameProvider": { "prepareProvider": true },
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentSymbolProvider": true,
    })
}

struct Server<'a> {
    connection: &'a Connection,
    files: &'a dyn Files,
    documents: Vec<Document>,
    /// What was read of documents since the last change, by their names.
    readings: RefCell<HashMap<String, Rc<Reading>>>,
    /// Something changed since diagnostics were sent.
    is_stale: bool,
}

impl Server<'_> {
    fn run(mut self) -> Result<(), Error> {
        while let Ok(message) = self.connection.receiver.recv() {
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    let open = |uri: &Uri| self.analysis(uri);
                    let response = answer::answer(request, &open);
                    self.send(Message::Response(response))?;
                }
                Message::Notification(notification) if notification.method == "exit" => return Ok(()),
                Message::Notification(notification) => self.note(notification)?,
                Message::Response(_) => {}
            }
            // While more is waiting, what we would say is old news.
            if self.is_stale && self.connection.receiver.is_empty() {
                self.tell()?;
            }
        }
        Ok(())
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        self.connection.sender.send(message).map_err(|_| Error::Gone)
    }

    fn analysis(&self, uri: &Uri) -> Option<Analysis<'_>> {
        let document = self.documents.iter().find(|document| document.uri == *uri)?;
        Some(self.analysed(document))
    }

    fn analysed<'s>(&'s self, document: &'s Document) -> Analysis<'s> {
        let mut readings = self.readings.borrow_mut();
        let reading = readings
            .entry(document.name.clone())
            .or_insert_with(|| Rc::new(Reading::new(document, &self.documents, self.files)));
        Analysis::new(Rc::clone(reading), document, &self.documents)
    }

    /// Everything has to be read again.
    fn changed(&mut self) {
        self.readings.get_mut().clear();
        self.is_stale = true;
    }

    /// Takes what the editor tells. What cannot be read is left: there is nobody to answer.
    fn note(&mut self, notification: Notification) -> Result<(), Error> {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(params) = read(params) {
                    self.open(params);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = read(params) {
                    self.change(params);
                }
            }
            DidSaveTextDocument::METHOD => self.find_roots(),
            DidCloseTextDocument::METHOD => {
                if let Some(DidCloseTextDocumentParams { text_document }) = read(params) {
                    self.documents.retain(|document| document.uri != text_document.uri);
                    self.find_roots();
                    self.publish(text_document.uri, None, Vec::new())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let path: Option<PathBuf> =
            url::Url::parse(item.uri.as_str()).ok().and_then(|url| url.to_file_path().ok());
        let name = path.map_or_else(|| item.uri.as_str().to_owned(), |path| self.files.name(&path));
        self.documents.retain(|document| document.uri != item.uri);
        let (uri, text, version) = (item.uri, item.text, item.version);
        self.documents.push(Document { uri, name, text, version, root: None });
        self.find_roots();
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        if let Some(document) = self.documents.iter_mut().find(|document| document.uri == uri) {
            params.content_changes.into_iter().for_each(|change| document.change(change));
            document.version = params.text_document.version;
            self.changed();
        }
    }

    /// Which documents are parts of other files changes seldom; looking for it reads files.
    fn find_roots(&mut self) {
        let roots: Vec<Option<String>> =
            self.documents.iter().map(|document| root_of(document, &self.documents, self.files)).collect();
        for (document, root) in self.documents.iter_mut().zip(roots) {
            document.root = root;
        }
        self.changed();
    }

    /// Sends the diagnostics of every open document: a change in one may show in another that imports it.
    fn tell(&mut self) -> Result<(), Error> {
        self.is_stale = false;
        for document in &self.documents {
            let found = actions::diagnostics(&self.analysed(document));
            self.publish(document.uri.clone(), Some(document.version), found)?;
        }
        Ok(())
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        let method = PublishDiagnostics::METHOD.to_owned();
        self.send(Message::Notification(Notification::new(method, params)))
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}
