use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::scripted::read;

/// An OpenAI-compatible embedder for which all texts mean the same. It answers as long as the test runs.
pub(crate) struct Embedder {
    pub(crate) url: String,
}

impl Embedder {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(&stream)));
        Self { url }
    }
}

fn answer(mut stream: &TcpStream) {
    let request = read(&mut BufReader::new(stream));
    let body = request.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let texts = body["input"].as_array().map_or(0, Vec::len);
    let vector = |index: usize| json!({"index": index, "embedding": [1, 0, 0, 0, 0, 0, 0, 0]});
    let answer = json!({ "data": (0..texts).map(vector).collect::<Vec<_>>() }).to_string();
    let length = answer.len();
    // A server that is killed does not want it.
    let _ =
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}");
}
