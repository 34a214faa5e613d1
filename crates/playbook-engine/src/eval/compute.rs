//! Walks a tree. `None` means "not certain": a missing name, an error, a mix of types.

use std::borrow::Cow;
use std::cmp::Ordering;

use playbook_lang::Value;
use playbook_lang::expression::ast::{CmpOp, Operator};

use super::Scope;
use super::tree::Node;

/// Beyond this, not every whole number is a floating point number.
const EXACT: u64 = 1 << 53;

/// Longer texts are made in the sandbox, which limits them.
const MAX_TEXT: usize = 64 << 10;

pub(super) fn value<'a>(node: &'a Node, scope: &'a dyn Scope) -> Option<Cow<'a, Value>> {
    Some(match node {
        Node::Constant(value) => Cow::Borrowed(value),
        Node::Name(name) => Cow::Borrowed(scope.get(name)?),
        Node::Not(inner) => Cow::Owned(Value::Bool(!value(inner, scope)?.is_truthy())),
        Node::Negative(inner) => Cow::Owned(negative(&*value(inner, scope)?)?),
        Node::Arithmetic(left, op, right) => {
            Cow::Owned(arithmetic(&*value(left, scope)?, *op, &*value(right, scope)?)?)
        }
        Node::Comparison(first, rest) => Cow::Owned(Value::Bool(comparison(first, rest, scope)?)),
        Node::All(nodes) => return joined(nodes, false, scope),
        Node::Any(nodes) => return joined(nodes, true, scope),
        Node::Choice(then, condition, otherwise) => {
            let chosen = if value(condition, scope)?.is_truthy() { then } else { otherwise };
            return value(chosen, scope);
        }
        Node::Attribute(owner, name) => return part(value(owner, scope)?, |owner| owner.get(name)),
        Node::Item(owner, key) => {
            let key = value(key, scope)?;
            return part(value(owner, scope)?, |owner| item(owner, &key));
        }
        Node::List(nodes) => Cow::Owned(Value::List(values(nodes, scope)?)),
        Node::Dict(pairs) => {
            let pair =
                |(key, node): &'a (String, Node)| Some((key.clone(), value(node, scope)?.into_owned()));
            Cow::Owned(Value::Dict(pairs.iter().map(pair).collect::<Option<_>>()?))
        }
        // Only reached through `in`.
        Node::Choices(_) => return None,
        Node::Length(inner) => Cow::Owned(Value::Int(length(&*value(inner, scope)?)?)),
    })
}

fn values(nodes: &[Node], scope: &dyn Scope) -> Option<Vec<Value>> {
    nodes.iter().map(|node| value(node, scope).map(Cow::into_owned)).collect()
}

fn joined<'a>(nodes: &'a [Node], stops_at: bool, scope: &'a dyn Scope) -> Option<Cow<'a, Value>> {
    let (last, first) = nodes.split_last()?;
    for node in first {
        let found = value(node, scope)?;
        if found.is_truthy() == stops_at {
            return Some(found);
        }
    }
    value(last, scope)
}

fn part<'a>(owner: Cow<'a, Value>, find: impl Fn(&Value) -> Option<&Value>) -> Option<Cow<'a, Value>> {
    match owner {
        Cow::Borrowed(owner) => find(owner).map(Cow::Borrowed),
        Cow::Owned(owner) => find(&owner).cloned().map(Cow::Owned),
    }
}

fn item<'a>(owner: &'a Value, key: &Value) -> Option<&'a Value> {
    match (owner, key) {
        (Value::Dict(_), Value::Text(key)) => owner.get(key),
        (Value::List(items), Value::Int(index)) => {
            let len = i64::try_from(items.len()).ok()?;
            let index = if *index < 0 { index.checked_add(len)? } else { *index };
            items.get(usize::try_from(index).ok()?)
        }
        _ => None,
    }
}

fn length(value: &Value) -> Option<i64> {
    let len = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Dict(pairs) => pairs.len(),
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => return None,
    };
    i64::try_from(len).ok()
}

fn negative(value: &Value) -> Option<Value> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only numbers have a sign")]
    match value {
        Value::Int(int) => int.checked_neg().map(Value::Int),
        Value::Float(float) => Some(Value::Float(-float)),
        _ => None,
    }
}

/// A number as a float, if that loses nothing.
#[expect(clippy::cast_precision_loss, reason = "only numbers that fit are converted")]
fn float(value: &Value) -> Option<f64> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only numbers are numbers")]
    match value {
        Value::Int(int) if int.unsigned_abs() <= EXACT => Some(*int as f64),
        Value::Float(float) => Some(*float),
        _ => None,
    }
}

fn arithmetic(left: &Value, op: Operator, right: &Value) -> Option<Value> {
    match (left, op, right) {
        (Value::Int(left), _, Value::Int(right)) => whole(*left, op, *right),
        (Value::Text(left), Operator::Add, Value::Text(right)) => {
            (left.len() + right.len() <= MAX_TEXT).then(|| Value::Text(format!("{left}{right}")))
        }
        (Value::List(left), Operator::Add, Value::List(right)) if left.len() + right.len() <= 1_000 => {
            Some(Value::List(left.iter().chain(right).cloned().collect()))
        }
        _ => {
            let (left, right) = (float(left)?, float(right)?);
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the sandbox")]
            let result = match op {
                Operator::Add => left + right,
                Operator::Sub => left - right,
                Operator::Mult => left * right,
                Operator::Div if right != 0.0 => left / right,
                _ => return None,
            };
            Some(Value::Float(result))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only numbers that fit are divided")]
fn whole(left: i64, op: Operator, right: i64) -> Option<Value> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the sandbox")]
    let result = match op {
        Operator::Add => left.checked_add(right),
        Operator::Sub => left.checked_sub(right),
        Operator::Mult => left.checked_mul(right),
        // Python rounds down, and the remainder has the sign of the divisor.
        Operator::FloorDiv => {
            let quotient = left.checked_div(right)?;
            let is_below = left.checked_rem(right)? != 0 && (left < 0) != (right < 0);
            quotient.checked_sub(i64::from(is_below))
        }
        Operator::Mod => {
            let rest = left.checked_rem(right)?;
            if rest != 0 && (rest < 0) != (right < 0) { rest.checked_add(right) } else { Some(rest) }
        }
        Operator::Pow => left.checked_pow(u32::try_from(right).ok()?),
        Operator::Div => {
            let fits = left.unsigned_abs() <= EXACT && right.unsigned_abs() <= EXACT && right != 0;
            return fits.then(|| Value::Float(left as f64 / right as f64));
        }
        _ => None,
    };
    result.map(Value::Int)
}

fn comparison(first: &Node, rest: &[(CmpOp, Node)], scope: &dyn Scope) -> Option<bool> {
    let mut left = value(first, scope)?;
    for (op, node) in rest {
        if let Node::Choices(nodes) = node {
            let mut is_one = false;
            for node in nodes {
                if equal(&left, &*value(node, scope)?)? {
                    is_one = true;
                    break;
                }
            }
            // A tuple cannot be compared further; a chain that goes on is for the sandbox.
            return (rest.len() == 1).then_some(is_one == (*op == CmpOp::In));
        }
        let right = value(node, scope)?;
        if !compared(&left, *op, &right)? {
            return Some(false);
        }
        left = right;
    }
    Some(true)
}

fn compared(left: &Value, op: CmpOp, right: &Value) -> Option<bool> {
    Some(match op {
        CmpOp::Eq => equal(left, right)?,
        CmpOp::NotEq => !equal(left, right)?,
        CmpOp::Lt => order(left, right)? == Ordering::Less,
        CmpOp::LtE => order(left, right)? != Ordering::Greater,
        CmpOp::Gt => order(left, right)? == Ordering::Greater,
        CmpOp::GtE => order(left, right)? != Ordering::Less,
        CmpOp::Is => left == right,
        CmpOp::IsNot => left != right,
        CmpOp::In => contains(right, left)?,
        CmpOp::NotIn => !contains(right, left)?,
    })
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        _ => float(left)?.partial_cmp(&float(right)?),
    }
}

/// Python's `==`. Truths among numbers are left to the sandbox.
fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::None, Value::None) => Some(true),
        (Value::Bool(left), Value::Bool(right)) => Some(left == right),
        (Value::Bool(_), Value::Int(_) | Value::Float(_))
        | (Value::Int(_) | Value::Float(_), Value::Bool(_)) => None,
        (Value::Int(left), Value::Int(right)) => Some(left == right),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            Some(float(left)? == float(right)?)
        }
        (Value::Text(left), Value::Text(right)) => Some(left == right),
        (Value::List(left), Value::List(right)) => {
            if left.len() != right.len() {
                return Some(false);
            }
            for (left, right) in left.iter().zip(right) {
                if !equal(left, right)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        (Value::Dict(left), Value::Dict(other)) => {
            if left.len() != other.len() {
                return Some(false);
            }
            for (key, left) in left {
                match right.get(key) {
                    Some(found) if equal(left, found)? => {}
                    _ => return Some(false),
                }
            }
            Some(true)
        }
        _ => Some(false),
    }
}

fn contains(owner: &Value, wanted: &Value) -> Option<bool> {
    match (owner, wanted) {
        (Value::Text(text), Value::Text(part)) => Some(text.contains(part.as_str())),
        (Value::Dict(_), Value::Text(key)) => Some(owner.get(key).is_some()),
        (Value::List(items), _) => {
            for item in items {
                if equal(item, wanted)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        _ => None,
    }
}
