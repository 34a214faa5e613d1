//! The language server as an editor meets it: the real binary, the protocol over pipes.

use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{command, folder, write};

/// An editor with a server.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
}

impl Editor {
    fn start() -> Self {
        let mut child = command()
            .args(["playbook", "lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut editor = Self { child, input, output, requests: 0 };
        let answer = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["capabilities"]["renameProvider"]["prepareProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
        self.input.flush().expect("the server listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.send(&message);
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = Vec::new();
            let mut byte = [0];
            while !line.ends_with(b"\r\n") {
                self.output.read_exact(&mut byte).expect("the server speaks");
                line.push(byte[0]);
            }
            let line = String::from_utf8(line).expect("a header");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(text) => length = text.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The whole response; what the server tells meanwhile is left aside.
    fn response(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.send(&message);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.response(method, params);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].take()
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "playbook", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// The next diagnostics of a document in this version.
    fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let message = self.receive();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
            {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn quit(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().expect("an end").code(), Some(0));
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

const TEXT: &str = "# Desk 😀\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Ask user for $order\n- 😀 tell $order; $status = FindOrder($order)\n- $status = FindOrder(key=$order)\n- Return $status\n\n## FindOrder($key)\nLooks an order up.\n\n### Steps\n- Return {\"key\": $key}\n";

/// The position after a marker, in UTF-16 units.
fn after(text: &str, marker: &str) -> Value {
    let at = text.find(marker).expect("the marker") + marker.len();
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

fn place(uri: &str, text: &str, marker: &str) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": after(text, marker) })
}

/// The text with the edits of a document, last one first.
fn edited(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().expect("a line")).expect("a number");
        let column = usize::try_from(position["character"].as_u64().expect("a column")).expect("a number");
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = 0;
        let within = text[start..].char_indices().find(|(_, char)| {
            let here = units;
            units += char.len_utf16();
            here >= column
        });
        within.map_or(text.len(), |(at, _)| start + at)
    };
    let mut edits: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| {
            let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
            (start, end, edit["newText"].as_str().expect("a text").to_owned())
        })
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    text
}

#[test]
fn an_editor_gets_diagnostics_with_every_change_and_their_fixes() {
    let folder = folder();
    let uri = uri(&folder.path().join("desk.md"));
    let mut editor = Editor::start();
    editor
        .open(&uri, "# Desk\n## Main\n### Trigers\n- At the beginning\n### Steps\n- Tell the user \"hi\"\n");
    let found = editor.diagnostics(&uri, 1);
    let codes: Vec<&Value> = found.iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["W103", "E006"], "without its trigger nothing starts the playbook");
    assert_eq!(found[1]["range"]["start"], json!({ "line": 2, "character": 4 }));
    let range = found[1]["range"].clone();
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["isPreferred"], true);
    let edit = actions[0]["edit"]["changes"][&uri][0].clone();
    let change = json!({ "range": edit["range"], "text": edit["newText"] });
    let document = json!({ "uri": uri, "version": 2 });
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    assert_eq!(editor.diagnostics(&uri, 2), Vec::<Value>::new());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.quit();
}

#[test]
fn names_are_explained_found_completed_and_renamed() {
    let folder = folder();
    let uri = uri(&folder.path().join("desk.md"));
    let mut editor = Editor::start();
    editor.open(&uri, TEXT);
    let hover = editor.ask("textDocument/hover", place(&uri, TEXT, "- $status = FindOr"));
    let said = hover["contents"]["value"].as_str().expect("words").to_owned();
    assert!(said.contains("Looks an order up.") && said.contains("step 03: **native**"), "{said}");
    let hover = editor.ask("textDocument/hover", place(&uri, TEXT, "- Ask us"));
    let said = hover["contents"]["value"].as_str().expect("words").to_owned();
    assert!(said.contains("asks the model") && said.contains("the answer fills `$order`"), "{said}");

    let target = editor.ask("textDocument/definition", place(&uri, TEXT, "- $status = FindOr"));
    assert_eq!(target["range"]["start"], json!({ "line": 13, "character": 3 }));
    let mut params = place(&uri, TEXT, "## FindOrder");
    params["context"] = json!({ "includeDeclaration": true });
    assert_eq!(editor.ask("textDocument/references", params).as_array().map(Vec::len), Some(3));

    let labels = |items: &Value| -> Vec<String> {
        let items = items.as_array().expect("items");
        items.iter().map(|item| item["label"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let variables = editor.ask("textDocument/completion", place(&uri, TEXT, "- Return $"));
    assert_eq!(labels(&variables), ["key", "order", "status"]);
    let names = editor.ask("textDocument/completion", place(&uri, TEXT, "- $status = Find"));
    assert!(labels(&names).contains(&"FindOrder".to_owned()), "{names}");

    let mut params = place(&uri, TEXT, "tell $order");
    params["newName"] = json!("number");
    let changes = editor.ask("textDocument/rename", params);
    let text = edited(TEXT, &changes["changes"][&uri]);
    assert_eq!(text, TEXT.replace("$order", "$number"));
    let mut params = place(&uri, TEXT, "- $status = FindOrder");
    params["newName"] = json!("Find it");
    let changes = editor.ask("textDocument/rename", params.clone());
    let text = edited(TEXT, &changes["changes"][&uri]);
    assert_eq!(text, TEXT.replace("## FindOrder", "## Find it").replace("FindOrder(", "FindIt("));
    params["newName"] = json!("Main");
    let refused = editor.response("textDocument/rename", params);
    assert_eq!(refused["error"]["message"], "`Main` means something already");
    editor.quit();
}

#[test]
fn documents_are_laid_out_and_outlined() {
    let mut editor = Editor::start();
    let uri = "untitled:Untitled-1";
    let ragged = "# A\n## B\n### Steps\n*   One\n";
    editor.open(uri, ragged);
    let document = json!({ "uri": uri });
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits =
        editor.ask("textDocument/formatting", json!({ "textDocument": document, "options": options }));
    assert_eq!(edited(ragged, &edits), "# A\n\n## B\n\n### Steps\n- One\n");
    let outline = editor.ask("textDocument/documentSymbol", json!({ "textDocument": document }));
    assert_eq!(outline[0]["children"][0]["name"], "B");
    editor.quit();
}

#[test]
fn a_part_is_read_with_the_file_that_imports_it() {
    let folder = folder();
    let real = folder.path().canonicalize().expect("a folder");
    let main =
        "# A\n## Main($name)\n### Triggers\n- At the beginning\n### Steps\n!import part.md\n- Return $name\n";
    write(&real, "main.md", main);
    let part = "- Tell the user \"Hello $name\"\n";
    let path = write(&real, "part.md", part);
    let mut editor = Editor::start();
    editor.open(&uri(&path), part);
    assert_eq!(editor.diagnostics(&uri(&path), 1), Vec::<Value>::new(), "alone it would have no agent");
    let mut params = place(&uri(&path), part, "Hello $name");
    params["newName"] = json!("who");
    let changes = editor.ask("textDocument/rename", params);
    let main_uri = uri(&real.join("main.md"));
    assert_eq!(edited(main, &changes["changes"][&main_uri]), main.replace("$name", "$who"));
    editor.quit();
}

#[test]
fn requests_that_make_no_sense_are_refused_and_the_server_goes_on() {
    let mut editor = Editor::start();
    assert_eq!(editor.response("textDocument/teleport", json!({}))["error"]["code"], -32601);
    let nowhere =
        json!({ "textDocument": { "uri": "file:///nowhere.md" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.response("textDocument/hover", nowhere)["error"]["code"], -32602);
    assert_eq!(editor.response("textDocument/hover", json!([]))["error"]["code"], -32602);
    editor.tell("textDocument/didChange", json!({ "nonsense": true }));
    editor.open("untitled:x", "\u{feff}---\nx: [\n# {{{ $ \r");
    let place = json!({ "textDocument": { "uri": "untitled:x" }, "position": { "line": 9, "character": 9 } });
    editor.ask("textDocument/hover", place.clone());
    editor.ask("textDocument/completion", place);
    editor.quit();
}
