//! As much of HTTP/1.1 as a test needs: one request per connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::reply::{Delivery, Reply};
use super::{Seen, State};

const LARGEST_REQUEST: usize = 64 << 20;

/// Serves until it is aborted, and its connections with it.
pub(super) async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        connections.spawn(async move {
            // A client that goes away is one of the things that are tested.
            let _ = answer(stream, &state).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(stream: TcpStream, state: &State) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let seen = read(&mut stream).await?;
    let reply = state.next(&seen);
    if let Reply::Late(milliseconds, _) = reply {
        sleep(Duration::from_millis(milliseconds)).await;
    }
    match reply.deliver(&seen) {
        Delivery::Nothing => std::future::pending().await,
        Delivery::Events(events) => pace(stream.get_mut(), &events).await,
        Delivery::Drip => drip(stream.get_mut(), None, b"x").await,
        Delivery::KeepAlive { milliseconds, body } => {
            drip(stream.get_mut(), Some(milliseconds), b"\n").await?;
            stream.write_all(&body).await?;
            stream.shutdown().await
        }
        Delivery::Whole { status, headers, content_type, body } => {
            let mut head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n");
            head.push_str(&format!("content-type: {content_type}\r\ncontent-length: {}\r\n", body.len()));
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
            stream.shutdown().await
        }
    }
}

const PAUSE: u64 = 20;

async fn pace(stream: &mut TcpStream, events: &[String]) -> io::Result<()> {
    let head = "HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for event in events {
        stream.write_all(event.as_bytes()).await?;
        stream.flush().await?;
        sleep(Duration::from_millis(PAUSE)).await;
    }
    stream.shutdown().await
}

/// Sends a byte now and then, for ever or for a while.
async fn drip(stream: &mut TcpStream, milliseconds: Option<u64>, byte: &[u8]) -> io::Result<()> {
    let head = "HTTP/1.1 200 Scripted\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut sent = 0;
    while milliseconds.is_none_or(|limit| sent * PAUSE < limit) {
        stream.write_all(byte).await?;
        stream.flush().await?;
        sleep(Duration::from_millis(PAUSE)).await;
        sent += 1;
    }
    Ok(())
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Seen> {
    let mut line = String::new();
    read_line(stream, &mut line).await?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        read_line(stream, &mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length.min(LARGEST_REQUEST)];
    stream.read_exact(&mut body).await?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Seen { path, headers, body })
}

/// A client that went away in the middle of a request has not asked.
async fn read_line(stream: &mut BufReader<TcpStream>, line: &mut String) -> io::Result<()> {
    match stream.read_line(line).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}
