//! The part of Python that is computed without the sandbox.

use playbook_lang::Value;
use playbook_lang::expression::{ast, literal};

use ast::{BoolOp, CmpOp, Expr, Operator, UnaryOp};

/// Names with a meaning of their own in the sandbox.
const SPECIAL: &[&str] =
    &["agent", "agents", "call", "current_playbook_call", "memory", "self", "state", "timestamp"];

#[derive(Clone, Debug)]
pub(super) enum Node {
    Constant(Value),
    Name(String),
    Not(Box<Node>),
    Negative(Box<Node>),
    Arithmetic(Box<Node>, Operator, Box<Node>),
    /// `a < b < c`
    Comparison(Box<Node>, Vec<(CmpOp, Node)>),
    All(Vec<Node>),
    Any(Vec<Node>),
    /// then, condition, otherwise
    Choice(Box<Node>, Box<Node>, Box<Node>),
    /// `order.id`: the key of a dict.
    Attribute(Box<Node>, String),
    Item(Box<Node>, Box<Node>),
    List(Vec<Node>),
    Dict(Vec<(String, Node)>),
    /// Only at the right of `in`, where a tuple is like a list.
    Choices(Vec<Node>),
    Length(Box<Node>),
}

impl Node {
    /// `None` for everything that is better left to the sandbox.
    pub(super) fn new(expr: &Expr, is_function: &dyn Fn(&str) -> bool) -> Option<Self> {
        let inner = |expr: &Expr| Self::new(expr, is_function);
        let boxed = |expr: &Expr| inner(expr).map(Box::new);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the sandbox")]
        Some(match expr {
            Expr::Name(name) if SPECIAL.contains(&name.id.as_str()) || is_function(&name.id) => return None,
            Expr::Name(name) => match name.id.as_str() {
                // The language takes these beside Python's words.
                "true" => Self::Constant(Value::Bool(true)),
                "false" => Self::Constant(Value::Bool(false)),
                "null" => Self::Constant(Value::None),
                other => Self::Name(other.to_owned()),
            },
            Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_) => Self::Constant(literal(expr)?),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => Self::Not(boxed(&unary.operand)?),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => Self::Negative(boxed(&unary.operand)?),
            Expr::BinOp(binary) => Self::Arithmetic(boxed(&binary.left)?, binary.op, boxed(&binary.right)?),
            Expr::Compare(compare) => {
                let rest = compare.ops.iter().zip(&compare.comparators);
                let rest = rest.map(|(op, right)| Some((*op, operand(*op, right, is_function)?)));
                Self::Comparison(boxed(&compare.left)?, rest.collect::<Option<_>>()?)
            }
            Expr::BoolOp(joined) => {
                let nodes = joined.values.iter().map(inner).collect::<Option<_>>()?;
                if joined.op == BoolOp::And { Self::All(nodes) } else { Self::Any(nodes) }
            }
            Expr::If(choice) => {
                Self::Choice(boxed(&choice.body)?, boxed(&choice.test)?, boxed(&choice.orelse)?)
            }
            Expr::Attribute(attribute) if !attribute.attr.starts_with("__") => {
                Self::Attribute(boxed(&attribute.value)?, attribute.attr.to_string())
            }
            Expr::Subscript(subscript) if !matches!(*subscript.slice, Expr::Slice(_) | Expr::Tuple(_)) => {
                Self::Item(boxed(&subscript.value)?, boxed(&subscript.slice)?)
            }
            Expr::List(list) => Self::List(list.elts.iter().map(inner).collect::<Option<_>>()?),
            Expr::Dict(dict) => {
                let pair = |item: &ast::DictItem| {
                    let Value::Text(key) = literal(item.key.as_ref()?)? else { return None };
                    Some((key, inner(&item.value)?))
                };
                let pairs: Vec<(String, Self)> = dict.items.iter().map(pair).collect::<Option<_>>()?;
                let is_repeated = |(at, (key, _)): (usize, &(String, Self))| {
                    pairs[..at].iter().any(|(other, _)| other == key)
                };
                if pairs.iter().enumerate().any(is_repeated) {
                    return None;
                }
                Self::Dict(pairs)
            }
            Expr::Call(call) => {
                let is_len = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "len");
                match (&*call.arguments.args, call.arguments.keywords.is_empty()) {
                    ([only], true) if is_len && !is_function("len") => Self::Length(boxed(only)?),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

impl Node {
    pub(super) fn reads_any(&self, is_wanted: &dyn Fn(&str) -> bool) -> bool {
        let any = |nodes: &[Self]| nodes.iter().any(|node| node.reads_any(is_wanted));
        match self {
            Self::Constant(_) => false,
            Self::Name(name) => is_wanted(name),
            Self::Not(inner) | Self::Negative(inner) | Self::Attribute(inner, _) | Self::Length(inner) => {
                inner.reads_any(is_wanted)
            }
            Self::Arithmetic(left, _, right) | Self::Item(left, right) => {
                left.reads_any(is_wanted) || right.reads_any(is_wanted)
            }
            Self::Comparison(first, rest) => {
                first.reads_any(is_wanted) || rest.iter().any(|(_, node)| node.reads_any(is_wanted))
            }
            Self::Choice(one, two, three) => [one, two, three].iter().any(|node| node.reads_any(is_wanted)),
            Self::All(nodes) | Self::Any(nodes) | Self::List(nodes) | Self::Choices(nodes) => any(nodes),
            Self::Dict(pairs) => pairs.iter().any(|(_, node)| node.reads_any(is_wanted)),
        }
    }
}

fn operand(op: CmpOp, right: &Expr, is_function: &dyn Fn(&str) -> bool) -> Option<Node> {
    match (op, right) {
        (CmpOp::In | CmpOp::NotIn, Expr::Tuple(tuple)) => {
            let nodes = tuple.elts.iter().map(|item| Node::new(item, is_function));
            Some(Node::Choices(nodes.collect::<Option<_>>()?))
        }
        // Identity is only certain for the three values there is one of.
        (CmpOp::Is | CmpOp::IsNot, Expr::NoneLiteral(_) | Expr::BooleanLiteral(_)) => {
            Node::new(right, is_function)
        }
        (CmpOp::Is | CmpOp::IsNot, _) => None,
        _ => Node::new(right, is_function),
    }
}
