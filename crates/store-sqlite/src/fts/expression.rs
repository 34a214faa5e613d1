use reflexio_search::{Node, TextQuery};
use reflexio_types::{OrgId, UserId};
use rusqlite::{Connection, OptionalExtension};

use super::Index;
use super::entry::{org_token, user_token};
use crate::error::Result;

/// A beginning that fits more terms is left to FTS5.
const MOST_CONTINUATIONS: usize = 48;

/// What FTS5 is asked, or nothing when the query matches nothing.
pub(super) fn expression(
    sql: &Connection,
    index: Index,
    org: &OrgId,
    user: Option<&UserId>,
    query: &TextQuery,
) -> Result<Option<String>> {
    let Some(root) = query.root() else { return Ok(None) };
    let scope = user.map_or_else(|| org_token(org), |user| user_token(org, user));
    let body = Renderer { sql, index }.render(root)?;
    Ok(Some(format!("scope : \"{scope}\" AND body : ({body})")))
}

struct Renderer<'a> {
    sql: &'a Connection,
    index: Index,
}

impl Renderer<'_> {
    fn render(&self, node: &Node) -> Result<String> {
        Ok(match node {
            Node::Term(term) => quoted(term),
            Node::Prefix(start) => self.continued(start)?,
            Node::Phrase(terms) => quoted(&terms.join(" ")),
            Node::And(nodes) => self.joined(nodes, " AND ")?,
            Node::Or(nodes) => self.joined(nodes, " OR ")?,
            Node::Not(..) => format!("({})", self.without(node)?),
        })
    }

    fn joined(&self, nodes: &[Node], operator: &str) -> Result<String> {
        let parts = nodes.iter().map(|node| self.render(node)).collect::<Result<Vec<_>>>()?;
        Ok(format!("({})", parts.join(operator)))
    }

    /// FTS5 reads `a NOT b NOT c` from the left; without this, long chains would be nested too deep for it.
    fn without(&self, node: &Node) -> Result<String> {
        match node {
            Node::Not(keep, drop) => Ok(format!("{} NOT {}", self.without(keep)?, self.render(drop)?)),
            Node::Term(_) | Node::Prefix(_) | Node::Phrase(_) | Node::And(_) | Node::Or(_) => {
                self.render(node)
            }
        }
    }

    /// For a beginning, FTS5 reads the whole posting list of every term that fits, also when only one user's
    /// few rows are asked for. Lists of known terms it can skip through, so the terms are looked up first.
    fn continued(&self, start: &str) -> Result<String> {
        let mut found: Vec<String> = Vec::new();
        let mut from = start.to_owned();
        while let Some(term) = self.first_term(&from, &format!("{start}{}", char::MAX))? {
            if found.len() == MOST_CONTINUATIONS {
                found.clear();
                break;
            }
            // The next term is larger, and no term holds a character as small as this.
            from = format!("{term}\u{1}");
            found.push(quoted(&term));
        }
        if found.is_empty() {
            return Ok(format!("{} *", quoted(start)));
        }
        Ok(format!("({})", found.join(" OR ")))
    }

    fn first_term(&self, from: &str, to: &str) -> Result<Option<String>> {
        let text = format!("SELECT term FROM {} WHERE term >= ? AND term <= ? LIMIT 1", self.index.tokens());
        let mut statement = self.sql.prepare_cached(&text)?;
        Ok(statement.query_row([from, to], |row| row.get(0)).optional()?)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
