//! Expressions cannot reach out, run on, or grow without end; whatever they try, the next one works.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::time::{Duration, Instant};

use playbook_lang::placeholder::{CallInfo, EvalError, Host, HostError, Limits, Moment, Template, evaluate};
use playbook_lang::{Span, Value};

#[derive(Default)]
struct World {
    calls: Vec<String>,
}

impl Host for World {
    fn variable(&mut self, name: &str) -> Option<Value> {
        (name == "order_id").then(|| Value::from("A-17"))
    }

    fn has_function(&self, name: &str) -> bool {
        matches!(name, "Summary" | "Fail" | "Accountant.Tax")
    }

    fn call(
        &mut self,
        name: &str,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Value, HostError> {
        self.calls.push(format!("{name}{args:?}{named:?}"));
        if name == "Fail" {
            return Err(HostError::new("ValueError", "no such quarter"));
        }
        Ok(args.into_iter().next().unwrap_or_default())
    }

    fn agent(&mut self) -> Value {
        Value::Dict(vec![("klass".to_owned(), Value::from("Support"))])
    }

    fn current_call(&self) -> CallInfo {
        CallInfo { playbook_name: "Main".to_owned(), text: "Main($x)".to_owned() }
    }

    fn timestamp(&self) -> Option<Moment> {
        Some(Moment { year: 2026, month: 11, day: 15, hour: 9, minute: 5, second: 0, microsecond: 0 })
    }

    fn names(&self) -> Vec<String> {
        vec!["order_id".to_owned(), "Summary".to_owned()]
    }
}

fn shown(source: &str) -> String {
    evaluate(source, &mut World::default(), &Limits::default()).unwrap()
}

fn failure(source: &str) -> EvalError {
    let start = Instant::now();
    let error = evaluate(source, &mut World::default(), &Limits::default()).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "`{source}` was stopped late");
    assert_eq!(shown("1 + 1"), "2", "after `{source}`");
    error
}

#[test]
fn special_names_are_there() {
    assert_eq!(
        shown("agent.klass + ' ' + str(call) + ' ' + current_playbook_call"),
        "Support Main($x) Main($x)"
    );
    assert_eq!(shown("call.playbook_name"), "Main");
    assert_eq!(shown("timestamp"), "2026-11-15 09:05:00");
    assert_eq!(shown("timestamp.year + 1"), "2027");
}

#[test]
fn calls_need_no_await_wherever_they_stand() {
    assert_eq!(shown("Summary('Q1').lower() + await Summary('Q2')"), "q1Q2");
    assert_eq!(shown("[Accountant.Tax(x, rate=2) for x in (1, 2)]"), "[1, 2]");
    let mut world = World::default();
    let template = Template::new("{Summary(1)} then {Summary(2)}", Span::default());
    template.resolve(&mut world, &Limits::default()).unwrap();
    assert_eq!(world.calls, ["Summary[Int(1)][]", "Summary[Int(2)][]"], "left to right");
}

#[test]
fn a_name_with_a_slip_gets_a_suggestion() {
    let error = failure("$ordr_id");
    assert_eq!(
        error.to_string(),
        "`$ordr_id` failed: NameError: name 'ordr_id' is not defined; did you mean `order_id`?"
    );
}

#[test]
fn a_failed_call_is_an_exception_of_the_expression() {
    assert!(failure("Fail()").to_string().contains("ValueError: no such quarter"));
}

#[test]
fn reaching_out_is_refused_by_name() {
    for source in [
        "__import__('os').system('true')",
        "open('/etc/passwd').read()",
        "eval('1')",
        "().__class__.__bases__",
        "(lambda: 0).__globals__",
        "getattr(1, 'real')",
    ] {
        assert!(matches!(failure(source), EvalError::Refused { .. }), "{source}");
    }
}

#[test]
fn running_on_and_growing_is_stopped() {
    for source in [
        "sum(1 for _ in range(10**12))",
        "list(range(10**10))",
        "[x for x in range(10**9)]",
        "'x' * 10**10",
        "[0] * 10**10",
        "10 ** 10 ** 10",
        "1 << 10**12",
        "1 << 23456789",
        "'a'.join(['b'] * 10**9)",
        "'%010000000000d' % 1",
        "(lambda f: f(f))(lambda f: f(f))",
        "[Summary(x) for x in range(1000)]",
        "'x' * 300000",
        "f'{1:>10000000000}'",
    ] {
        let error = failure(source);
        let is_stopped = matches!(error, EvalError::Limit { .. } | EvalError::Raised { .. });
        assert!(is_stopped, "{source}: {error}");
    }
}

/// The same list in many places takes no room until somebody writes it out, here a hundred million times.
#[test]
fn a_value_that_only_grows_when_it_is_written_out_is_stopped() {
    let bomb = "[[[[[[[[1]*10]*10]*10]*10]*10]*10]*10]*10";
    let tuple = "((((((1,)*50,)*50,)*50,)*50,)*50,)*50";
    let grown =
        "(lambda f: f(f, 9, 1))(lambda f, n, a: a if n == 0 else f(f, n - 1, [a, a, a, a, a, a, a, a]))";
    let appended = "[[xs.append([xs[-1]] * 30) for _ in range(6)] and xs[-1] for xs in [[1]]]";
    for value in [bomb, tuple, grown, appended] {
        for source in [
            value.to_owned(),
            format!("str({value})"),
            format!("list(map(str, [{value}]))"),
            format!("(lambda show: show({value}))(repr)"),
            format!("f'{{{value}}}'"),
            format!("'%s' % ({value},)"),
            format!("'{{}}'.format({value})"),
            format!("{value} == {value}"),
            format!("Summary({value})"),
            format!("Accountant.Tax(x={value})"),
            format!("(lambda call: call(*[{value}]))(Summary)"),
        ] {
            let error = failure(&source);
            let is_stopped = matches!(error, EvalError::Limit { .. } | EvalError::Raised { .. });
            assert!(is_stopped, "{source}: {error}");
        }
    }
}

#[test]
fn a_number_that_nobody_can_write_out_is_stopped() {
    for source in [
        "1 << 20000",
        "[1 << 20000]",
        "(1, {1 << 20000: 2})",
        "{'a': (1 << 20000,)}",
        "'%d' % (1 << 20000)",
        "Summary(1 << 20000)",
        "Summary(x=[1 << 20000])",
    ] {
        let error = failure(source);
        assert!(error.to_string().contains("digits"), "{source}: {error}");
    }
    assert_eq!(shown("len(str(10 ** 4000))"), "4001");
}

/// What is counted on the way is what would be there anyway.
#[test]
fn values_of_a_usual_size_are_what_python_says() {
    for (source, result) in [
        ("[[0] * 3] * 2", "[[0, 0, 0], [0, 0, 0]]"),
        ("sum([x for x in range(5000)])", "12497500"),
        ("sum(x for x in range(10) if x > 4)", "35"),
        ("sorted([3, 1, 2], key=lambda x: -x)", "[3, 2, 1]"),
        ("(lambda *a, **k: (a, k))(*[1, 2], y=3)", "((1, 2), {'y': 3})"),
        ("f'{2 * 3:>4}|{\"a\" * 2!r}|{7 * 6=}'", "   6|'aa'|7 * 6=42"),
        ("'%s and %d' % ('a' * 2, 3)", "aa and 3"),
        ("'ab' * 2 in 'xababx' and 1 < 2 * 2 <= 4", "True"),
        ("1, 2 * 2", "(1, 4)"),
        ("'-'.join(str(x) for x in [1] * 3)", "1-1-1"),
        ("[Summary(x).upper() for x in ('a', 'b')]", "[\"A\", \"B\"]"),
    ] {
        assert_eq!(shown(source), result, "{source}");
    }
}

#[test]
fn bombs_of_nesting_are_refused_before_they_are_parsed() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("-", ""),
        ("not ", ""),
        ("f(", ")"),
        ("x.", "y"),
        ("lambda:", "0"),
    ] {
        for times in [100, 1_000, 50_000] {
            let source = format!("{}1{}", open.repeat(times), close.repeat(times));
            let _ = evaluate(&source, &mut World::default(), &Limits::default());
            let _ = Template::new(&format!("{{{source}}}"), Span::default());
        }
    }
    assert_eq!(shown("1"), "1");
}

#[test]
fn an_error_knows_its_place() {
    let template = Template::new("Total: {1 + } of it", Span { start: 10, end: 30, ..Span::default() });
    let error = template.resolve(&mut World::default(), &Limits::default()).unwrap_err();
    assert_eq!((error.span.start, error.span.end), (22, 23), "{error}");
    for source in ["str(dict(a=1)", "(", "é("] {
        assert!(failure(source).offset().is_some_and(|at| at <= source.len()), "{source}");
    }
}
