use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// Something that answers one request after the other as it was told to.
pub(crate) struct Scripted {
    pub(crate) url: String,
    answering: JoinHandle<Vec<String>>,
}

impl Scripted {
    /// Each answer is a status line with headers, and a body.
    pub(crate) fn new(answers: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let answering = std::thread::spawn(move || {
            answers.iter().map(|(head, body)| answer(&listener, head, body)).collect()
        });
        Self { url, answering }
    }

    /// The requests, once all of them have come.
    pub(crate) fn requests(self) -> Vec<String> {
        self.answering.join().expect("answers")
    }
}

fn answer(listener: &TcpListener, head: &str, body: &str) -> String {
    let (stream, _) = listener.accept().expect("a caller");
    let request = read(&mut BufReader::new(&stream));
    let length = body.len();
    let text = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    (&stream).write_all(text.as_bytes()).expect("an answer");
    request
}

pub(super) fn read(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).expect("a line") > 0, "{head}");
    }
    let lower = head.to_lowercase();
    let length =
        lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("a body");
    format!("{head}{}", String::from_utf8_lossy(&body))
}
