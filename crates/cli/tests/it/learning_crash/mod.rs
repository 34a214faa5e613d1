//! Learning while the power cable is pulled five times; `make soak` pulls it fifty times.

mod model;
mod run;

use run::{Outcome, run};

const KILLS: u64 = 5;

fn kills_asked() -> u64 {
    std::env::var("REFLEXIO_SOAK_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)
}

#[test]
fn what_is_learned_is_the_same_however_often_the_server_is_killed() {
    let rounds = kills_asked();
    let calm = run(rounds, run::Weather::Calm);
    let stormy = run(rounds, run::Weather::Stormy);
    assert!(!calm.rows.is_empty());
    let (missing, surplus): (Vec<_>, Vec<_>) =
        (calm.rows.difference(&stormy.rows).collect(), stormy.rows.difference(&calm.rows).collect());
    assert!(missing.is_empty() && surplus.is_empty(), "missing: {missing:#?}\nsurplus: {surplus:#?}");
    assert_eq!(stormy.row_count, stormy.rows.len(), "a row is there twice");
    for outcome in [&calm, &stormy] {
        nothing_is_asked_twice_in_one_life(outcome);
        nothing_is_asked_that_was_stored_or_saved(outcome);
    }
    println!(
        "{rounds} kills, {} rows, {} windows, {} calls ({} without kills), {} answers saved at a kill",
        stormy.row_count,
        stormy.calls.iter().map(|call| &call.window).collect::<std::collections::BTreeSet<_>>().len(),
        stormy.calls.len(),
        calm.calls.len(),
        stormy.kills.iter().map(|kill| kill.saved.len()).sum::<usize>(),
    );
}

/// Nothing fails here but the server itself, so a process has no reason to ask again.
fn nothing_is_asked_twice_in_one_life(outcome: &Outcome) {
    for (at, call) in outcome.calls.iter().enumerate() {
        let again = outcome.calls[..at].iter().find(|other| other == &call);
        assert!(again.is_none(), "asked twice in one life: {call:?}");
    }
}

/// A window whose rows were on disk when the server died is not learned again, and an answer that was on disk is not
/// paid for again.
fn nothing_is_asked_that_was_stored_or_saved(outcome: &Outcome) {
    for kill in &outcome.kills {
        for call in outcome.calls.iter().filter(|call| call.life > kill.life) {
            let learned = call.fresh.iter().find(|code| kill.stored.contains(*code));
            assert!(learned.is_none(), "learned twice: {learned:?} in {call:?}");
            assert!(!kill.saved.contains(&call.window), "paid for twice: {call:?}");
        }
    }
}
