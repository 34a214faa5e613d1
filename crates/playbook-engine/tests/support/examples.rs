//! The programs of `examples/playbooks`, each with a conversation.

use std::sync::Arc;

use playbook_engine::{Playbooks, Script, Start, Tool, Value};
use serde_json::json;

use super::{compile, compile_with, script, steps, with_variables};

/// A program of `examples/playbooks` and a conversation with it.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) code: Arc<Playbooks>,
    pub(crate) start: Start,
    pub(crate) script: Script,
}

pub(crate) fn examples() -> Vec<Example> {
    let mut all =
        vec![order_status(), refund(), onboarding(), appointment(), ticket(), tax(), watchman(), research()];
    all.push(Example {
        name: "native",
        code: steps(
            "- $n = 0\n- While $n < 5\n  - $n += 1\n  - If $n % 2 == 0\n    - Say \"$n {round($n / 3, 2)}\"",
        ),
        start: Start::default(),
        script: Script::default(),
    });
    all
}

pub(crate) fn order_status() -> Example {
    let order = Value::from(json!({ "order_id": "A-17", "expected_delivery_date": "2026-01-09" }));
    let answers = [
        json!({ "triggers": [{ "id": "OrderDesk.CheckOrder_statusFlow:T1", "why": "order", "steps": [
            { "id": "01", "status": "waiting", "say": [{ "text": "Which one?" }] }] }] }),
        json!({ "applied": ["N2"], "steps": [
            { "id": "01", "status": "done", "set": { "order_id": "A-17" }, "evidence": "m3" },
            { "id": "02", "status": "done", "call": [{ "name": "GetOrderStatus", "compute": { "order_id": "order_id" }, "into": "order_status" }] },
            { "id": "03", "status": "done", "compute": { "expected_delivery_date": "$order_status.expected_delivery_date" } },
            { "id": "04", "status": "done", "say": [{ "text": "On {expected_delivery_date}.", "fill": true }] }
        ]}),
    ];
    let mut script = script(&["Where is my order?", "A-17"], &answers);
    script.tools.insert("Warehouse.FindOrder".to_owned(), [Ok(order)].into());
    Example {
        name: "order_status",
        code: compile_with(
            include_str!("../../../../examples/playbooks/order_status.md"),
            vec![Tool::new("Warehouse.FindOrder", &["id", "token"])],
        ),
        start: with_variables(&[("authToken", "t".into())]),
        script,
    }
}

pub(crate) fn refund() -> Example {
    let answers = [
        json!({ "triggers": [{ "id": "RefundDesk.Refund:T1", "why": "money", "steps": [
            { "id": "01", "status": "waiting", "say": [{ "text": "Which order, and why?" }] }] }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "order_id": "B-2", "reason": "broken" }, "evidence": "m3" }] }),
        json!({ "decisions": [{ "id": "07", "value": true, "why": "capital letters", "evidence": "m3" }],
                "steps": [{ "id": "07.01", "status": "done", "say": [{ "text": "I am sorry. Here is a voucher." }] }], "applied": ["N1"] }),
    ];
    let mut script = script(&["I want my money back", "B-2, it is BROKEN"], &answers);
    let order = Value::from(json!({ "days_since_delivery": 3, "total": 250 }));
    script.tools.insert("Warehouse.FindOrder".to_owned(), [Ok(order)].into());
    script.tools.insert("Bank.PayBack".to_owned(), [Ok(Value::Bool(true))].into());
    script.approves = Some(true);
    Example {
        name: "refund",
        code: compile_with(
            include_str!("../../../../examples/playbooks/refund.md"),
            vec![Tool::new("Warehouse.FindOrder", &["id"]), Tool::new("Bank.PayBack", &["order", "amount"])],
        ),
        start: Start::default(),
        script,
    }
}

pub(crate) fn onboarding() -> Example {
    let answers = [
        json!({ "steps": [{ "id": "02", "status": "done", "set": { "name": "Ada" }, "evidence": "m2" }] }),
        json!({ "steps": [{ "id": "03.01", "status": "done", "set": { "email": "nonsense" }, "evidence": "m4" }] }),
        json!({ "triggers": [{ "id": "OnboardingGuide.Speak to a human:T1", "why": "fed up" }],
                "steps": [
            { "id": "03.01", "status": "done", "set": { "email": "ada@example.org" }, "evidence": "m7" },
            { "id": "05.01[1]", "status": "done", "say": [{ "text": "Bills come monthly." }] },
            { "id": "05.01[2]", "status": "done", "say": [{ "text": "Help is here." }] }
        ]}),
    ];
    Example {
        name: "onboarding",
        code: compile(include_str!("../../../../examples/playbooks/onboarding.md")),
        start: Start::default(),
        script: script(&["Ada", "nonsense", "a human! ada@example.org"], &answers),
    }
}

pub(crate) fn appointment() -> Example {
    let set = |id: &str, values: serde_json::Value, message: &str| json!({ "steps": [{ "id": id, "status": "done", "set": values, "evidence": message }] });
    let answers = [
        json!({ "triggers": [{ "id": "ClinicDesk.Book an appointment:T1", "why": "asks" }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "reason": "a check-up", "day": "Monday" }, "evidence": "m3" }],
                "decisions": [{ "id": "02", "value": false, "why": "it can wait" }] }),
        set("04.01", json!({ "day": "Tuesday" }), "m5"),
        set("06.01", json!({ "time": "10:30" }), "m7"),
    ];
    let mut script =
        script(&["I need an appointment", "A check-up, on Monday", "Tuesday", "10:30"], &answers);
    let free = Value::List(vec!["9:00".into(), "10:30".into()]);
    script.tools.insert("Calendar.FreeTimes".to_owned(), [Ok(Value::List(Vec::new())), Ok(free)].into());
    let booking = Value::from(json!({ "number": "C-7" }));
    script.tools.insert("Calendar.Book".to_owned(), [Ok(booking)].into());
    let tools = vec![
        Tool::new("Calendar.FreeTimes", &["day"]),
        Tool::new("Calendar.Book", &["day", "time", "reason"]),
    ];
    Example {
        name: "appointment",
        code: compile_with(include_str!("../../../../examples/playbooks/appointment.md"), tools),
        start: Start::default(),
        script,
    }
}

pub(crate) fn ticket() -> Example {
    let set = json!({ "area": "billing", "severity": "outage", "summary": "nobody can pay" });
    let answer = json!({ "triggers": [{ "id": "HelpDesk.Take a report:T1", "why": "reports a problem", "steps": [
        { "id": "01", "status": "done", "set": set }] }] });
    let mut script = script(&["Since noon nobody can pay!"], &[answer]);
    let mut gives = |tool: &str, value: serde_json::Value| {
        script.tools.insert(tool.to_owned(), [Ok(Value::from(value))].into());
    };
    gives("Pager.Call", json!(true));
    gives("Tracker.Open", json!({ "number": "T-9" }));
    gives("Tracker.Known", json!([{ "title": "Payments fail" }]));
    let tools = vec![
        Tool::new("Pager.Call", &["team", "text"]),
        Tool::new("Tracker.Open", &["area", "severity", "summary"]),
        Tool::new("Tracker.Known", &["area"]),
    ];
    Example {
        name: "ticket",
        code: compile_with(include_str!("../../../../examples/playbooks/ticket.md"), tools),
        start: Start::default(),
        script,
    }
}

pub(crate) fn tax() -> Example {
    let answer = json!({ "steps": [{ "id": "02", "status": "done", "call": [
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0 } },
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0, "rate": 0.07 } },
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0 }, "into": "tax" }] }] });
    Example {
        name: "tax",
        code: compile(include_str!("../../../../examples/playbooks/tax.md")),
        start: Start { args: [("order_total".to_owned(), Value::Float(50.0))].into(), ..Start::default() },
        script: script(&[], &[answer]),
    }
}

pub(crate) fn watchman() -> Example {
    Example {
        name: "watchman",
        code: compile(include_str!("../../../../examples/playbooks/watchman.md")),
        start: Start::default(),
        script: Script { timers: 3, ..Script::default() },
    }
}

pub(crate) fn research() -> Example {
    let answers = [
        json!({ "triggers": [{ "id": "Researcher.Answer:T1", "why": "asks", "args": { "question": "tides" } }] }),
        json!("The moon pulls."),
        json!("The sun helps."),
        json!({ "steps": [
            { "id": "03", "status": "done", "set": { "summary": "Moon and sun." } },
            { "id": "04", "status": "done", "say": [{ "text": "Moon and sun." }] }
        ]}),
    ];
    let mut script = script(&["Why are there tides?"], &answers);
    let titles = Value::List(vec!["Tides I".into(), "Tides II".into()]);
    script.tools.insert("Library.Search".to_owned(), [Ok(titles)].into());
    Example {
        name: "research",
        code: compile_with(
            include_str!("../../../../examples/playbooks/research.md"),
            vec![Tool::new("Library.Search", &["query"])],
        ),
        start: Start::default(),
        script,
    }
}
