//! Where the server of an agent is, as its `remote` says.

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use playbook_lang::Agent;
use reflexio_llm::Reach;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::McpOperator;
use super::fault::Fault;

const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);
const SHORTEST_SECRET: usize = 4;
const KEY_HEADER: &str = "x-api-key";

pub(super) struct Remote {
    pub(super) place: Place,
    pub(super) timeout: Duration,
    secrets: Vec<String>,
}

pub(super) enum Place {
    Http {
        url: String,
        credentials: HeaderMap,
    },
    /// A program that is spoken to over its pipes.
    Command(String),
}

impl Remote {
    pub(super) fn of(agent: &Agent, operator: &McpOperator) -> Result<Self, Fault> {
        let remote = agent.meta.get("remote").ok_or_else(|| {
            setup(format!("`{}` has no `remote` that says where its server is", agent.title.value))
        })?;
        let text = |key: &str| remote.get(key).and_then(Value::as_str);
        let url = text("url").ok_or_else(|| setup("`remote` needs a `url`"))?.trim();
        let is_http = url.starts_with("http://") || url.starts_with("https://");
        if is_http {
            callable(url)?;
        }
        let (credentials, secrets) = credentials(remote.get("auth"), operator)?;
        let place = match text("transport").unwrap_or(if is_http { "streamable-http" } else { "stdio" }) {
            "streamable-http" if is_http => Place::Http { url: url.to_owned(), credentials },
            "streamable-http" => {
                return Err(setup("a `streamable-http` address begins with http:// or https://"));
            }
            "stdio" if operator.may_run_commands => {
                Place::Command(url.strip_prefix("stdio://").unwrap_or(url).to_owned())
            }
            "stdio" => {
                return Err(setup("`stdio` runs a command, and the operator has not allowed that"));
            }
            other => {
                return Err(setup(format!(
                    "nothing here speaks the transport `{other}`; use `streamable-http` or `stdio`"
                )));
            }
        };
        let seconds = remote.get("timeout").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0);
        let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(Self { place, timeout: timeout.unwrap_or(USUAL_TIMEOUT).min(LONGEST_TIMEOUT), secrets })
    }

    /// Servers repeat secrets in their complaints; we do not.
    pub(super) fn scrubbed(&self, fault: Fault) -> Fault {
        let scrub =
            |text: String| self.secrets.iter().fold(text, |text, secret| text.replace(secret, "****"));
        if let Fault::Tool(text) = fault { Fault::Tool(scrub(text)) } else { fault }
    }
}

/// Names are checked when they are looked up, numbers here.
fn callable(url: &str) -> Result<(), Fault> {
    let parsed = reqwest::Url::parse(url).map_err(|_| setup("`url` is not an address"))?;
    let host = parsed.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(address) if !Reach::Anywhere.allows(address) => {
            Err(setup("the address of `url` may not be called"))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The header that proves who asks, and what of it is secret.
fn credentials(auth: Option<&Value>, operator: &McpOperator) -> Result<(HeaderMap, Vec<String>), Fault> {
    let (mut headers, mut secrets) = (HeaderMap::new(), Vec::new());
    let Some(auth) = auth else { return Ok((headers, secrets)) };
    let text = |key: &str| auth.get(key).and_then(Value::as_str);
    let mut secret = |key: &str| -> Result<String, Fault> {
        let written = text(key).ok_or_else(|| setup(format!("`auth` needs `{key}`, a text")))?;
        let value = revealed(written, operator)?;
        // What is shorter guards nothing and stands in many words.
        if key != "username" && value.len() >= SHORTEST_SECRET {
            secrets.push(value.clone());
        }
        Ok(value)
    };
    let (name, value) = match text("type").unwrap_or_default() {
        "bearer" => (AUTHORIZATION, format!("Bearer {}", secret("token")?)),
        "basic" => {
            let pair = format!("{}:{}", secret("username")?, secret("password")?);
            (AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)))
        }
        "api_key" => {
            let name = text("header").unwrap_or(KEY_HEADER);
            let name = HeaderName::try_from(name)
                .map_err(|_| setup(format!("`header` of `auth`: `{name}` is no name of a header")))?;
            (name, secret("key")?)
        }
        other => {
            return Err(setup(format!(
                "nothing here can do `auth` of the type `{other}`; use `bearer`, `basic` or `api_key`"
            )));
        }
    };
    // A pair is secret as it is sent, too.
    secrets.extend(value.strip_prefix("Basic ").map(str::to_owned));
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| setup("`auth` holds letters that cannot be sent in a header"))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok((headers, secrets))
}

/// `${NAME}` stands for a variable of the environment, so that no secret has to be in a file.
fn revealed(written: &str, operator: &McpOperator) -> Result<String, Fault> {
    let Some(name) = written.trim().strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
        return Ok(written.to_owned());
    };
    (operator.variable)(name.trim()).filter(|value| !value.is_empty()).ok_or_else(|| {
        setup(format!("`auth` names ${{{name}}}, which the environment does not have; set it"))
    })
}

fn setup(problem: impl Into<String>) -> Fault {
    Fault::Setup(problem.into())
}
