//! The first difference between a recorded run and ours.

use gepa::{Engine, Event, Mt19937, Random, run};
use serde_json::{Value, json};

use super::case::Case;
use super::tape::Tape;
use super::toy::Toy;

/// Plays the recorded draws.
pub fn with_tape(case: &Case) -> Result<(), String> {
    let mut engine = case.engine(Tape::new(case.tape.clone()))?;
    let outcome = compare(case, &mut engine);
    match &engine.random().difference {
        Some(difference) => Err(difference.clone()),
        None if outcome.is_ok() && !engine.random().used_up() => Err("draws are left on the tape".to_owned()),
        None => outcome,
    }
}

/// Draws for itself from the recorded seed.
pub fn with_seed(case: &Case) -> Result<(), String> {
    compare(case, &mut case.engine(Mt19937::new(case.config.seed))?)
}

fn compare<R: Random>(case: &Case, engine: &mut Engine<R>) -> Result<(), String> {
    let mut toy = case.toy();
    let mut events = Vec::new();
    run(engine, &mut toy, |event| events.push(event.clone())).map_err(|error| error.to_string())?;
    same_run(case, engine, &toy, &events)
}

/// Compares events, adapter calls, pool and counters.
pub fn same_run<R: Random>(
    case: &Case,
    engine: &Engine<R>,
    toy: &Toy,
    events: &[Event],
) -> Result<(), String> {
    same_list("event", &case.events, &events.iter().filter_map(recorded).collect::<Vec<_>>())?;
    same_list("adapter call", &case.adapter_calls, &toy.calls)?;
    let ours = result(engine);
    for (field, wanted) in case.result.as_object().into_iter().flatten() {
        if wanted != &ours[field] {
            return Err(format!("result `{field}`: recorded {wanted}, ours {}", ours[field]));
        }
    }
    Ok(())
}

/// An event as the recorder writes it; it leaves some kinds out.
pub fn recorded(event: &Event) -> Option<Value> {
    let Value::Object(value) = serde_json::to_value(event).ok()? else { return None };
    let (name, mut data) = value.into_iter().next()?;
    if matches!(name.as_str(), "state_saved" | "evaluation_start" | "reflective_dataset_built") {
        return None;
    }
    if name == "candidate_rejected" {
        data.as_object_mut()?.remove("reason");
    }
    Some(json!([name, data]))
}

fn result<R: Random>(engine: &Engine<R>) -> Value {
    let members = engine.pool().members();
    let parents = |parents: &[usize]| if parents.is_empty() { json!([null]) } else { json!(parents) };
    let front = engine.fronts().instance.iter().map(|(id, front)| (id.to_string(), json!(front.holders)));
    let outcome = engine.outcome();
    json!({
        "candidates": members.iter().map(|m| m.candidate.to_map()).collect::<Vec<_>>(),
        "parents": members.iter().map(|m| parents(&m.parents)).collect::<Vec<_>>(),
        "val_scores": members.iter().map(gepa::Member::mean).collect::<Vec<_>>(),
        "val_subscores": members.iter().map(|m| json!(m.scores)).collect::<Vec<_>>(),
        "front": Value::Object(front.collect()),
        "discovery": members.iter().map(|m| m.discovered_at).collect::<Vec<_>>(),
        "total_metric_calls": outcome.as_ref().map(|o| o.metric_calls),
        "full_val_evals": outcome.as_ref().map(|o| o.full_validations),
        "best_idx": outcome.as_ref().map(|o| o.first_best),
    })
}

fn same_list(what: &str, wanted: &[Value], ours: &[Value]) -> Result<(), String> {
    let both = wanted.iter().zip(ours).enumerate();
    for (at, (wanted, ours)) in both {
        if wanted != ours {
            return Err(format!("{what} {at}: recorded {wanted}, ours {ours}"));
        }
    }
    match wanted.len() == ours.len() {
        true => Ok(()),
        false => Err(format!("{what}s: recorded {}, ours {}", wanted.len(), ours.len())),
    }
}
