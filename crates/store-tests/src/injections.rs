use reflexio_store::{
    Error, InjectionFilter, JudgedSession, JudgedSessions, Peers, Record, RuleRef, RuleUses, SessionWord,
    Store, WordingUse,
};
use reflexio_types::{
    InjectedRule, Injection, InjectionId, InjectionRoute, LearningKind, OutcomeKind, SessionOutcome,
    TimeRange,
};

use crate::sample::{ALL, a_run, acme, at, evaluation, judgement, other, outcome, request, say};
use crate::transfer::export;

fn rule(id: &str, wording: &str) -> InjectedRule {
    InjectedRule { kind: LearningKind::AgentPlaybook, id: id.to_owned(), wording: wording.to_owned() }
}

fn the(id: &str) -> RuleRef {
    RuleRef { kind: LearningKind::AgentPlaybook, id: id.to_owned() }
}

/// In a session of u1.
fn got(session: &str, second: i64, rules: Vec<InjectedRule>) -> Injection {
    Injection {
        id: InjectionId(0),
        at: at(second),
        route: InjectionRoute::Context,
        session_id: Some(session.into()),
        user_id: Some("u1".into()),
        agent_version: Some("v1".to_owned()),
        request_id: Some("r1".into()),
        block: Some("etag".to_owned()),
        rules,
    }
}

async fn record(store: &dyn Store, lines: &[Injection]) -> Vec<Injection> {
    let ids = store.record_injections(&acme(), lines.to_vec()).await.unwrap();
    ids.into_iter().zip(lines).map(|(id, line)| Injection { id, ..line.clone() }).collect()
}

async fn listed(store: &dyn Store, filter: InjectionFilter) -> Vec<Injection> {
    store.injections(&acme(), &filter, ALL).await.unwrap()
}

pub async fn an_injection_is_read_back_whole_and_newest_first(store: &dyn Store) {
    let profile = InjectedRule { kind: LearningKind::UserPlaybook, ..rule("1", "w") };
    let bare = Injection {
        route: InjectionRoute::Reported,
        session_id: None,
        user_id: None,
        agent_version: None,
        request_id: None,
        block: None,
        ..got("", 2, vec![rule("2", "w")])
    };
    let lines = record(store, &[got("s1", 1, vec![profile, rule("1", "w")]), bare]).await;
    let newest_first: Vec<Injection> = lines.iter().rev().cloned().collect();
    assert_eq!(listed(store, InjectionFilter::default()).await, newest_first);
    assert_eq!(store.injections(&acme(), &InjectionFilter::default(), 1).await.unwrap(), lines[1..]);
}

pub async fn injections_are_filtered_by_each_field(store: &dyn Store) {
    let theirs = Injection { user_id: Some("u2".into()), ..got("s2", 2, vec![rule("2", "w")]) };
    let lines = record(store, &[got("s1", 1, vec![rule("1", "w")]), theirs]).await;
    let all = InjectionFilter::default();
    let check = async |filter: InjectionFilter, expected: &[Injection]| {
        assert_eq!(listed(store, filter.clone()).await, expected, "{filter:?}");
    };
    check(InjectionFilter { session_id: Some("s1".into()), ..all.clone() }, &lines[..1]).await;
    check(InjectionFilter { user_id: Some("u2".into()), ..all.clone() }, &lines[1..]).await;
    check(InjectionFilter { rule: Some(the("1")), ..all.clone() }, &lines[..1]).await;
    check(InjectionFilter { rule: Some(the("3")), ..all.clone() }, &[]).await;
    let both = InjectionFilter { rule: Some(the("2")), user_id: Some("u1".into()), ..all.clone() };
    check(both, &[]).await;
    let time = TimeRange { start: Some(at(2)), end: Some(at(2)) };
    check(InjectionFilter { time, ..all }, &lines[1..]).await;
}

pub async fn uses_are_counted_by_wording_and_different_session(store: &dyn Store) {
    let unnamed = Injection { session_id: None, ..got("", 9, vec![rule("1", "new")]) };
    let lines = [
        got("s1", 1, vec![rule("1", "old"), rule("2", "w")]),
        got("s1", 2, vec![rule("1", "old")]),
        got("s2", 3, vec![rule("1", "old")]),
        got("s3", 4, vec![rule("1", "new")]),
        unnamed,
    ];
    record(store, &lines).await;
    let wording = |wording: &str, (retrievals, sessions), (first, last)| WordingUse {
        wording: wording.to_owned(),
        retrievals,
        sessions,
        first: at(first),
        last: at(last),
    };
    let uses = store.rule_uses(&acme(), &the("1")).await.unwrap();
    let wordings = vec![wording("old", (3, 2), (1, 3)), wording("new", (2, 1), (4, 9))];
    assert_eq!(uses, RuleUses { sessions: 3, wordings });
    assert_eq!(store.rule_uses(&acme(), &the("7")).await.unwrap(), RuleUses::default());
}

/// s1 got the rule and went well, s2 got another rule and failed, s3 got none and went well.
async fn three_sessions(store: &dyn Store) {
    for (n, session) in (1..).zip(["s1", "s2", "s3"]) {
        say(store, &acme(), request(session, "u1", session, n), &["hello"]).await;
        let kind = if session == "s2" { OutcomeKind::Failure } else { OutcomeKind::Success };
        let told = SessionOutcome { kind, ..outcome(session, "u1", session, n + 10) };
        store.record_outcome(&acme(), told).await.unwrap();
    }
    record(store, &[got("s1", 1, vec![rule("1", "w")]), got("s2", 2, vec![rule("2", "w")])]).await;
}

fn session(began: i64, success: bool, wordings: &[&str]) -> JudgedSession {
    JudgedSession {
        began: at(began),
        agent_version: "v1".to_owned(),
        success,
        word: SessionWord::Outcome,
        wordings: wordings.iter().map(|wording| (*wording).to_owned()).collect(),
    }
}

async fn judged(store: &dyn Store, peers: Peers) -> Vec<JudgedSession> {
    store.judged_sessions(&acme(), &the("1"), at(0), peers, ALL).await.unwrap().sessions
}

pub async fn sessions_with_a_rule_come_with_those_that_got_others_or_with_all(store: &dyn Store) {
    three_sessions(store).await;
    let (with, without, none) = (session(1, true, &["w"]), session(2, false, &[]), session(3, true, &[]));
    assert_eq!(judged(store, Peers::WithRules).await, [without.clone(), with.clone()]);
    assert_eq!(judged(store, Peers::All).await, [none, without.clone(), with]);
    let cut = store.judged_sessions(&acme(), &the("1"), at(0), Peers::WithRules, 2).await.unwrap();
    assert_eq!(
        cut,
        JudgedSessions { sessions: vec![without], cut: true },
        "the latest two, of which one is a peer"
    );
    let later = store.judged_sessions(&acme(), &the("1"), at(1_000), Peers::All, ALL).await.unwrap();
    assert_eq!(later, JudgedSessions::default());
}

pub async fn a_judgement_counts_where_nobody_told_the_outcome(store: &dyn Store) {
    for (n, session) in (1..).zip(["s1", "s2"]) {
        let turn = say(store, &acme(), request(session, "u1", session, n), &["hello"]).await[0];
        let failed = judgement(evaluation("u1", session, turn, n), 0);
        store.judge(&acme(), Some(failed), None, at(n)).await.unwrap();
    }
    let unknown = SessionOutcome { kind: OutcomeKind::Unknown, ..outcome("o1", "u1", "s1", 5) };
    store.record_outcome(&acme(), unknown).await.unwrap();
    store.record_outcome(&acme(), outcome("o2", "u1", "s2", 5)).await.unwrap();
    let by_judge = JudgedSession { word: SessionWord::Evaluation, ..session(1, false, &[]) };
    assert_eq!(judged(store, Peers::All).await, [session(2, true, &[]), by_judge]);
}

pub async fn a_session_of_the_same_name_is_another_users(store: &dyn Store) {
    for user in ["u1", "u2"] {
        say(store, &acme(), request(user, user, "s1", 1), &["hello"]).await;
        store.record_outcome(&acme(), outcome(user, user, "s1", 5)).await.unwrap();
    }
    record(store, &[got("s1", 1, vec![rule("1", "w")])]).await;
    assert_eq!(judged(store, Peers::WithRules).await, [session(1, true, &["w"])]);
    let unnamed = Injection { user_id: None, ..got("s1", 2, vec![rule("1", "v")]) };
    record(store, &[unnamed]).await;
    let mut both = judged(store, Peers::WithRules).await;
    both.sort_by_key(|session| session.wordings.len());
    assert_eq!(both, [session(1, true, &["v"]), session(1, true, &["v", "w"])]);
}

pub async fn old_injections_are_forgotten_a_few_at_a_time(store: &dyn Store) {
    let lines: Vec<Injection> = (1..=5).map(|second| got("s1", second, vec![rule("1", "w")])).collect();
    record(store, &lines).await;
    assert_eq!(store.forget_injections(at(4), 2).await.unwrap(), 2);
    assert_eq!(store.forget_injections(at(4), 2).await.unwrap(), 1);
    assert_eq!(store.forget_injections(at(4), 2).await.unwrap(), 0);
    let left = listed(store, InjectionFilter { rule: Some(the("1")), ..InjectionFilter::default() }).await;
    assert_eq!(left.iter().map(|line| line.at).collect::<Vec<_>>(), [at(5), at(4)]);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn an_erased_user_takes_their_injections_along(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await;
    let unnamed = Injection { user_id: None, ..got("s1", 2, vec![rule("1", "w")]) };
    let elsewhere = Injection { user_id: None, ..got("s9", 3, vec![rule("1", "w")]) };
    let others = Injection { user_id: Some("u2".into()), ..got("s1", 4, vec![rule("1", "w")]) };
    record(store, &[got("s1", 1, vec![rule("1", "w")]), unnamed, elsewhere, others]).await;
    assert_eq!(store.clear_user(&acme(), &"u1".into()).await.unwrap().injections, 2);
    let left = listed(store, InjectionFilter::default()).await;
    assert_eq!(left.iter().map(|line| line.at).collect::<Vec<_>>(), [at(4), at(3)]);
    assert_eq!(store.rule_uses(&acme(), &the("1")).await.unwrap().wordings[0].retrievals, 2);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn injections_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    three_sessions(store).await;
    assert!(store.injections(&other(), &InjectionFilter::default(), ALL).await.unwrap().is_empty());
    let rule = InjectionFilter { rule: Some(the("1")), ..InjectionFilter::default() };
    assert!(store.injections(&other(), &rule, ALL).await.unwrap().is_empty());
    assert_eq!(store.rule_uses(&other(), &the("1")).await.unwrap(), RuleUses::default());
    let theirs = store.judged_sessions(&other(), &the("1"), at(0), Peers::All, ALL).await.unwrap();
    assert_eq!(theirs, JudgedSessions::default());
    assert_eq!(store.clear_user(&other(), &"u1".into()).await.unwrap().injections, 0);
    assert_eq!(listed(store, InjectionFilter::default()).await.len(), 2);
}

pub async fn injections_are_exported_and_imported(store: &dyn Store) {
    let line = got("s1", 1, vec![rule("1", "w"), rule("2", "w")]);
    let line = record(store, &[line]).await.remove(0);
    let records = export(store, &acme()).await;
    assert_eq!(records, [Record::Injection(line.clone())]);
    assert_eq!(store.import(&acme(), records.clone(), &a_run(), at(9)).await.unwrap(), 0);
    let altered = Injection { at: at(7), ..line };
    let refused = store.import(&acme(), vec![Record::Injection(altered)], &a_run(), at(9)).await;
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    store.forget_injections(at(100), ALL).await.unwrap();
    assert_eq!(store.import(&acme(), records.clone(), &a_run(), at(9)).await.unwrap(), 1);
    assert_eq!(export(store, &acme()).await, records);
}
