//! Our evaluator and the sandbox must agree wherever ours is certain.

use std::collections::BTreeMap;

use playbook_lang::Value;
use playbook_lang::placeholder::{Host, Limits, evaluate_value};
use proptest::prelude::*;

use super::{Expression, Scope};

struct Variables(BTreeMap<&'static str, Value>);

impl Scope for Variables {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl Host for Variables {
    fn variable(&mut self, name: &str) -> Option<Value> {
        self.0.get(name).cloned()
    }
}

fn variables() -> Variables {
    let dict = |pairs: &[(&str, Value)]| {
        Value::Dict(pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    };
    Variables(BTreeMap::from([
        ("a", Value::Int(7)),
        ("b", Value::Int(-3)),
        ("big", Value::Int(i64::MAX)),
        ("zero", Value::Int(0)),
        ("x", Value::Float(2.5)),
        ("y", Value::Float(-0.0)),
        ("s", Value::from("tea")),
        ("u", Value::from("Grüße")),
        ("e", Value::from("")),
        ("t", Value::Bool(true)),
        ("n", Value::None),
        ("l", Value::List(vec![Value::Int(1), Value::from("tea"), Value::Float(2.0)])),
        ("d", dict(&[("id", Value::Int(4)), ("in", dict(&[("deep", Value::from("x"))]))])),
    ]))
}

fn atom() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &["a", "b", "big", "zero", "x", "y", "s", "u", "e", "t", "n", "l", "d", "missing"];
    prop_oneof![
        4 => prop::sample::select(NAMES).prop_map(|name| format!("${name}")),
        1 => (-9_i64..99).prop_map(|number| if number < 0 { format!("({number})") } else { number.to_string() }),
        1 => prop::sample::select(&["'tea'", "\"\"", "1.5", "1e300", "None", "True", "False", "[]", "{}", "true", "9007199254740993"][..])
            .prop_map(str::to_owned),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 3, |inner| {
        const OPERATORS: &[&str] = &[
            "+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=", "and", "or", "in",
            "not in",
        ];
        prop_oneof![
            4 => (inner.clone(), prop::sample::select(OPERATORS), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            1 => inner.clone().prop_map(|value| format!("(not {value})")),
            1 => inner.clone().prop_map(|value| format!("(-{value})")),
            1 => inner.clone().prop_map(|value| format!("len({value})")),
            1 => inner.clone().prop_map(|value| format!("({value} is not None)")),
            1 => (inner.clone(), inner.clone()).prop_map(|(owner, key)| format!("{owner}[{key}]")),
            1 => inner.clone().prop_map(|owner| format!("{owner}.id")),
            1 => inner.clone().prop_map(|owner| format!("({owner} in (None, \"\", [], {{}}))")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, two, three)| format!("({one} if {two} else {three})")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, two, three)| format!("({one} < {two} <= {three})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("[{one}, {two}]")),
            1 => (inner.clone(), inner).prop_map(|(one, two)| format!("{{'k': {one}, 'id': {two}}}")),
        ]
    })
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => {
            left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
        }
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Dict(left), Value::Dict(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((key, left), (other, right))| key == other && same(left, right))
        }
        _ => left == right,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_computed_quickly_is_what_the_sandbox_computes(source in expression()) {
        let mut variables = variables();
        let quick = Expression::new(&source, &|_| false).quick(&variables).map(std::borrow::Cow::into_owned);
        if let Some(quick) = quick
            // The language takes `true` for `True`; the sandbox does not.
            && !source.contains("true")
        {
            match evaluate_value(&source, &mut variables, &Limits::default()) {
                Ok(value) => prop_assert!(same(&quick, &value), "{} is {:?}, not {:?}", source, value, quick),
                Err(error) => prop_assert!(false, "{} fails ({}), not {:?}", source, error, quick),
            }
        }
    }
}

#[test]
fn common_expressions_are_quick() {
    let variables = variables();
    let sources = [
        "$a * 3 + 1",
        "$a > 100",
        "$s == 'tea'",
        "$s in (None, \"\", [], {})",
        "$d.id",
        "$d['in'].deep",
        "$l[-1]",
        "$a > 1 and $x < 9",
        "not $e",
        "len($l) == 3",
        "$a if $t else $b",
        "$n is None",
        "[$a, $b]",
        "{'id': $a}",
        "$s + '!'",
        "0 < $a <= 7",
        "'te' in $s",
    ];
    for source in sources {
        assert!(Expression::new(source, &|_| false).quick(&variables).is_some(), "{source}");
    }
}
