use std::collections::BTreeSet;

use proptest::prelude::*;
use reflexio_search::{TextQuery, terms};
use reflexio_store::{
    AgentPlaybookFilter, Ask, InteractionFilter, ProfileFilter, Scored, Store, UserPlaybookFilter,
};
use reflexio_types::{OrgId, UserId};

use crate::property::holds;
use crate::sample::{
    ALL, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, profile, request, say,
    user_playbook,
};

/// Texts of two users, and questions about them.
type Corpus = (Vec<String>, Vec<String>, Vec<String>);

pub fn a_search_finds_exactly_what_its_query_matches<G, S: Store>(make: impl AsyncFnOnce() -> (G, S)) {
    let texts = || prop::collection::vec(text(), 0..8);
    let inputs = (texts(), texts(), prop::collection::vec(query(), 1..12));
    holds(make, 48, &inputs, &agrees);
}

async fn agrees(store: &dyn Store, org: &OrgId, (first, second, queries): Corpus) {
    for (user, texts) in [("u1", &first), ("u2", &second)] {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        say(store, org, request(user, user, "s1", 1), &texts).await;
        let rows = |n: usize, text: &&str| profile(&format!("{user}-{n}"), user, 1, text);
        add_profiles(
            store,
            org,
            &texts.iter().enumerate().map(|(n, text)| rows(n, text)).collect::<Vec<_>>(),
        )
        .await;
        let rows: Vec<_> = texts.iter().map(|text| user_playbook(user, 1, text)).collect();
        add_user_playbooks(store, org, &rows).await;
        let rows: Vec<_> = texts.iter().map(|text| agent_playbook(user, 1, text)).collect();
        add_agent_playbooks(store, org, &rows).await;
    }
    let both: Vec<String> = first.iter().chain(&second).cloned().collect();
    for text in queries {
        let query = TextQuery::parse(&text);
        compare(store, org, &query, None, &both).await;
        compare(store, org, &query, Some("u1"), &first).await;
        let agents = store
            .search_agent_playbooks(org, &AgentPlaybookFilter::default(), &Ask::words(&query, ALL))
            .await
            .unwrap();
        assert_eq!(
            set(agents, |row| row.body.content),
            expected(&query, &both),
            "agent playbooks, {query:?}"
        );
    }
}

async fn compare(store: &dyn Store, org: &OrgId, query: &TextQuery, user: Option<&str>, texts: &[String]) {
    let user_id = user.map(UserId::new);
    let expected = expected(query, texts);
    let filter = InteractionFilter { user_id: user_id.clone(), ..InteractionFilter::default() };
    let rows = store.search_interactions(org, &filter, &Ask::words(query, ALL)).await.unwrap();
    assert_eq!(set(rows, |row| row.turn.content), expected, "interactions of {user:?}, {query:?}");
    let filter = ProfileFilter { user_id: user_id.clone(), ..ProfileFilter::default() };
    let rows = store.search_profiles(org, &filter, &Ask::words(query, ALL)).await.unwrap();
    assert_eq!(set(rows, |row| row.body.content), expected, "profiles of {user:?}, {query:?}");
    let filter = UserPlaybookFilter { user_id, ..UserPlaybookFilter::default() };
    let rows = store.search_user_playbooks(org, &filter, &Ask::words(query, ALL)).await.unwrap();
    assert_eq!(set(rows, |row| row.body.content), expected, "user playbooks of {user:?}, {query:?}");
}

fn expected(query: &TextQuery, texts: &[String]) -> BTreeSet<String> {
    texts.iter().filter(|text| query.matches(&terms(text))).cloned().collect()
}

fn set<R>(rows: Vec<Scored<R>>, content: fn(R) -> String) -> BTreeSet<String> {
    assert!(rows.windows(2).all(|pair| pair[0].score >= pair[1].score), "best first");
    rows.into_iter().map(|hit| content(hit.row)).collect()
}

fn word() -> impl Strategy<Value = String> {
    let words = [
        "refund",
        "refunds",
        "order",
        "ordering",
        "the",
        "is",
        "a",
        "é",
        "café",
        "Tokyo",
        "東京",
        "東京都",
        "退",
        "नमस्ते",
        "e-mail",
        "x1",
        "12345",
        "scope",
        "body",
        "NEAR",
        "rowid",
        "ref",
        "orders!",
        "don't",
        "🙂",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" ")),
        1 => "\\PC{0,20}",
    ]
}

fn query() -> impl Strategy<Value = String> {
    let glue = prop::sample::select(vec![" ", " ", " AND ", " OR ", " NOT ", " \"", "\" ", "* ", ":", "("]);
    let pieces = prop::collection::vec((word(), glue), 0..6);
    let tail = prop_oneof![word(), Just(String::new()), "\\PC{0,8}"];
    (pieces, tail).prop_map(|(pieces, tail)| {
        let start: String = pieces.into_iter().map(|(word, glue)| word + glue).collect();
        start + &tail
    })
}
