//! A query with its leaves numbered.

use reflexio_search::Node;

/// How leaves combine, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tree {
    Leaf(usize),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    /// The first but not the second.
    Not(Box<Tree>, Box<Tree>),
}

/// A term, a beginning or a phrase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    pub(crate) node: &'a Node,
    /// Whether it makes a match better: not behind NOT.
    pub(crate) counts: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Plan<'a> {
    pub(crate) tree: Tree,
    pub(crate) leaves: Vec<Leaf<'a>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(root: &'a Node) -> Plan<'a> {
        let mut leaves = Vec::new();
        let tree = tree(root, true, &mut leaves);
        Plan { tree, leaves }
    }

    /// Whether any leaf is enough for a match.
    pub(crate) fn is_any_of(&self) -> bool {
        match &self.tree {
            Tree::Leaf(_) => true,
            Tree::Or(trees) => trees.iter().all(|tree| matches!(tree, Tree::Leaf(_))),
            Tree::And(_) | Tree::Not(..) => false,
        }
    }
}

fn tree<'a>(node: &'a Node, counts: bool, leaves: &mut Vec<Leaf<'a>>) -> Tree {
    let mut all = |nodes: &'a [Node]| nodes.iter().map(|node| tree(node, counts, leaves)).collect();
    match node {
        Node::And(nodes) => Tree::And(all(nodes)),
        Node::Or(nodes) => Tree::Or(all(nodes)),
        Node::Not(keep, drop) => {
            let keep = tree(keep, counts, leaves);
            Tree::Not(Box::new(keep), Box::new(tree(drop, false, leaves)))
        }
        Node::Term(_) | Node::Prefix(_) | Node::Phrase(_) => {
            leaves.push(Leaf { node, counts });
            Tree::Leaf(leaves.len() - 1)
        }
    }
}
