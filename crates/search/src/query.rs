use crate::text::{is_stop_word, terms};

/// More terms cost time and find nothing new.
const MOST_TERMS: usize = 64;
/// A shorter beginning matches nearly everything.
const SHORTEST_PREFIX_CHARS: usize = 3;

/// What a document must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Term(String),
    /// A term that begins so.
    Prefix(String),
    /// These terms, next to each other.
    Phrase(Vec<String>),
    And(Vec<Node>),
    Or(Vec<Node>),
    /// The first but not the second.
    Not(Box<Node>, Box<Node>),
}

/// A parsed query. Any text parses; a text without a single term matches nothing.
///
/// Words are alternatives, `"…"` is a phrase, `AND`, `OR` and `NOT` (upper case) combine, and the last
/// word also matches as the beginning of a longer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery {
    root: Option<Node>,
}

impl TextQuery {
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser { units: units(text), at: 0, left: MOST_TERMS };
        Self { root: parser.any().map(drop_stop_words) }
    }

    /// A query that only documents with all of the text's terms match: for choosing what to delete.
    pub fn all_of(text: &str) -> Self {
        let nodes = terms(text).into_iter().take(MOST_TERMS).map(Node::Term).collect();
        Self { root: combine(nodes, Node::And) }
    }

    /// A query that documents with any of the leaves match; its leaves keep their order.
    pub fn any_of(leaves: Vec<Node>) -> Self {
        Self { root: combine(leaves, Node::Or) }
    }

    pub fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether a document with these terms matches.
    pub fn matches(&self, document: &[String]) -> bool {
        self.root.as_ref().is_some_and(|node| node.matches(document))
    }
}

impl Node {
    fn matches(&self, document: &[String]) -> bool {
        match self {
            Node::Term(_) | Node::Prefix(_) | Node::Phrase(_) => self.count(document) > 0,
            Node::And(nodes) => nodes.iter().all(|node| node.matches(document)),
            Node::Or(nodes) => nodes.iter().any(|node| node.matches(document)),
            Node::Not(keep, drop) => keep.matches(document) && !drop.matches(document),
        }
    }

    /// How often a term, prefix or phrase occurs; 0 for the combining nodes.
    pub(crate) fn count(&self, document: &[String]) -> usize {
        match self {
            Node::Term(term) => document.iter().filter(|word| *word == term).count(),
            Node::Prefix(start) => document.iter().filter(|word| word.starts_with(start.as_str())).count(),
            Node::Phrase(phrase) => document.windows(phrase.len()).filter(|window| window == phrase).count(),
            Node::And(_) | Node::Or(_) | Node::Not(..) => 0,
        }
    }

    /// The nodes that make a match better: all but those behind NOT.
    pub(crate) fn leaves(&self) -> Vec<&Node> {
        match self {
            Node::Term(_) | Node::Prefix(_) | Node::Phrase(_) => vec![self],
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().flat_map(Node::leaves).collect(),
            Node::Not(keep, _) => keep.leaves(),
        }
    }
}

enum Unit {
    Words { text: String, quoted: bool, last: bool },
    And,
    Or,
    Not,
}

fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    // Every second piece between quotes is inside them; a lone quote at the end opens nothing.
    let pieces: Vec<&str> = text.split('"').collect();
    for (index, piece) in pieces.iter().enumerate() {
        let quoted = index % 2 == 1 && index + 1 < pieces.len();
        if quoted {
            units.push(Unit::Words { text: (*piece).to_owned(), quoted: true, last: false });
            continue;
        }
        units.extend(piece.split_whitespace().map(|word| match word {
            "AND" => Unit::And,
            "OR" => Unit::Or,
            "NOT" => Unit::Not,
            other => Unit::Words { text: other.to_owned(), quoted: false, last: false },
        }));
    }
    if let Some(Unit::Words { last, quoted: false, .. }) = units.last_mut() {
        *last = !text.ends_with(char::is_whitespace);
    }
    units
}

struct Parser {
    units: Vec<Unit>,
    at: usize,
    left: usize,
}

impl Parser {
    fn any(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while self.at < self.units.len() && self.left > 0 {
            match self.units[self.at] {
                Unit::Or | Unit::And => self.at += 1,
                Unit::Not | Unit::Words { .. } => nodes.extend(self.all()),
            }
        }
        combine(nodes, Node::Or)
    }

    fn all(&mut self) -> Option<Node> {
        let mut nodes: Vec<Node> = self.but_not().into_iter().collect();
        while matches!(self.units.get(self.at), Some(Unit::And)) {
            self.at += 1;
            if matches!(self.units.get(self.at), Some(Unit::Words { .. } | Unit::Not)) {
                nodes.extend(self.but_not());
            }
        }
        combine(nodes, Node::And)
    }

    fn but_not(&mut self) -> Option<Node> {
        let mut node = self.words();
        while matches!(self.units.get(self.at), Some(Unit::Not)) {
            self.at += 1;
            let dropped = self.words();
            node = match (node, dropped) {
                (Some(keep), Some(drop)) => Some(Node::Not(Box::new(keep), Box::new(drop))),
                (keep, _) => keep,
            };
        }
        node
    }

    fn words(&mut self) -> Option<Node> {
        let Some(Unit::Words { text, quoted, last }) = self.units.get(self.at) else { return None };
        let found = terms(text);
        let (quoted, last) = (*quoted, *last);
        self.at += 1;
        self.left = self.left.saturating_sub(found.len());
        match found.as_slice() {
            [] => None,
            [only] if last && !quoted && only.chars().count() >= SHORTEST_PREFIX_CHARS => {
                Some(Node::Prefix(only.clone()))
            }
            [only] => Some(Node::Term(only.clone())),
            _ => Some(Node::Phrase(found.into_iter().take(MOST_TERMS).collect())),
        }
    }
}

fn combine(mut nodes: Vec<Node>, with: fn(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(with(nodes)),
    }
}

/// Alternatives that nearly every document holds only cost time, unless there is nothing else.
fn drop_stop_words(node: Node) -> Node {
    let Node::Or(nodes) = node else { return node };
    let telling: Vec<Node> = nodes
        .iter()
        .filter(|node| !matches!(node, Node::Term(term) | Node::Prefix(term) if is_stop_word(term)))
        .cloned()
        .collect();
    combine(telling, Node::Or).unwrap_or(Node::Or(nodes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(query: &str, matching: &[&str], other: &[&str]) {
        let parsed = TextQuery::parse(query);
        for text in matching {
            assert!(parsed.matches(&terms(text)), "`{query}` should match `{text}`: {parsed:?}");
        }
        for text in other {
            assert!(!parsed.matches(&terms(text)), "`{query}` should not match `{text}`: {parsed:?}");
        }
    }

    #[test]
    fn words_are_alternatives_and_the_last_one_may_go_on() {
        check("refund poli", &["our policy", "refunds"], &["shipping"]);
        check("poli ", &[], &["our policy"]);
    }

    #[test]
    fn phrases_and_operators_combine() {
        check("\"reset password\"", &["please reset my... reset password now"], &["password reset"]);
        check("refund AND order", &["order refund"], &["order", "refund"]);
        check("refund NOT order", &["refund"], &["order refund"]);
        check("a OR refund AND order", &["refund of an order"], &["shipping"]);
    }

    #[test]
    fn stop_words_count_only_when_alone() {
        check("where is the refund", &["refund"], &["is the"]);
        check("the", &["the end"], &["end"]);
    }

    #[test]
    fn broken_queries_match_what_can_be_read() {
        check("AND OR NOT", &[], &["and or not"]);
        check("\"open phrase", &["phrase"], &["other"]);
        check("NOT refund", &[], &["refund", "order"]);
        check("refund NOT", &["refund"], &["order"]);
        check("", &[], &["anything"]);
        check("\"\" () * : ^", &[], &["anything"]);
        check("退款", &["我要退款"], &["订单"]);
    }

    proptest! {
        #[test]
        fn any_text_parses_and_stays_small(text in "\\PC{0,400}") {
            let query = TextQuery::parse(&text);
            prop_assert!(query.root().map_or(0, |node| node.leaves().len()) <= MOST_TERMS);
        }

        #[test]
        fn a_document_is_found_by_each_of_its_words(words in prop::collection::vec("[a-z]{4,9}", 1..8), pick in 0usize..8) {
            let document = terms(&words.join(" "));
            let word = &words[pick % words.len()];
            prop_assert!(TextQuery::parse(word).matches(&document));
        }
    }
}
