//! Diagnostics as SARIF 2.1.0, which code hosts show in pull requests.

use serde_json::{Value, json};

use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::program::Program;
use crate::span::Span;

/// A SARIF log with one run; `tool` is the program that speaks.
#[must_use]
pub fn sarif(program: &Program, tool: &str, version: &str) -> Value {
    let results: Vec<Value> =
        program.diagnostics().iter().map(|diagnostic| result(program, diagnostic)).collect();
    let rules: Vec<Value> = Code::ALL.iter().map(|code| rule(*code)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": tool, "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.number(),
        "shortDescription": { "text": code.about() },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn result(program: &Program, diagnostic: &Diagnostic) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({
        "ruleId": diagnostic.code.number(),
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": artifact(program, diagnostic.span),
            "region": region(program, diagnostic.span),
        }}],
    });
    if let (Some(fix), Value::Object(map)) = (&diagnostic.fix, &mut result) {
        map.insert("fixes".to_owned(), json!([fix_json(program, fix)]));
    }
    result
}

fn fix_json(program: &Program, fix: &Fix) -> Value {
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{
            "artifactLocation": artifact(program, fix.span),
            "replacements": [{
                "deletedRegion": region(program, fix.span),
                "insertedContent": { "text": fix.replacement },
            }],
        }],
    })
}

fn artifact(program: &Program, span: Span) -> Value {
    json!({ "uri": program.sources().file(span.file).map_or_else(String::new, |file| uri(&file.name)) })
}

/// The name of a file as an address: relative names stay relative, as code hosts want them.
fn uri(name: &str) -> String {
    let mut uri = if name.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in name.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn region(program: &Program, span: Span) -> Value {
    let (start, end) = (program.sources().start(span), program.sources().end(span));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_of_files_become_addresses() {
        assert_eq!(uri("playbooks/desk.md"), "playbooks/desk.md");
        assert_eq!(uri("/a b/é.md"), "file:///a%20b/%C3%A9.md");
        assert_eq!(uri("a\\b.md"), "a/b.md");
    }
}
