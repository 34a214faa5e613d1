use proptest::prelude::*;

use super::*;

fn score(a: &str, b: &str) -> Score {
    near_duplicate(&Statement::new(a, None), &Statement::new(b, None))
}

#[track_caller]
fn same(a: &str, b: &str) {
    assert!(score(a, b).same(), "{a} | {b}: {:?}", score(a, b));
}

#[track_caller]
fn vetoed(a: &str, b: &str, veto: Veto) {
    assert_eq!(score(a, b), Score { probability: 0.0, veto: Some(veto) }, "{a} | {b}");
}

#[test]
fn the_same_rule_in_nearly_the_same_words_is_a_duplicate() {
    same(
        "Always confirm the order number before a refund.",
        "always confirm the order number before a refund",
    );
    same(
        "Confirm the order number and the name with the customer before you issue a refund.",
        "Before you issue a refund, confirm the order number and the name with the customer.",
    );
}

#[test]
fn another_rule_about_the_same_thing_is_not_a_duplicate() {
    assert!(
        !score("Confirm the order number before a refund.", "Offer a refund when the order is late.").same()
    );
    assert!(!score("Answer in short sentences.", "Ask for the order number.").same());
}

#[test]
fn do_and_do_not_are_never_duplicates() {
    vetoed("Offer a refund first.", "Do not offer a refund first.", Veto::Negation);
    vetoed("Don't use emoji in answers", "Use emoji in answers", Veto::Negation);
    vetoed("Always mention the fee", "Never mention the fee", Veto::Negation);
    vetoed(
        "Enable two-factor login for the account",
        "Disable two-factor login for the account",
        Veto::Negation,
    );
}

#[test]
fn other_numbers_and_names_are_never_duplicates() {
    vetoed("Refund within 30 days", "Refund within 14 days", Veto::Numbers);
    vetoed("Always call the user Max", "Always call the user Moritz", Veto::Names);
}

#[test]
fn texts_without_words_are_duplicates_only_of_themselves() {
    assert!(score("🙂", "🙂").same());
    assert!(!score("🙂", "🙁").same());
    assert!(!score("", "Refund").same());
}

proptest! {
    #[test]
    fn a_score_is_symmetric_and_a_text_is_its_own_duplicate(a in "\\PC{0,60}", b in "([a-d]{1,3} ){0,8}") {
        prop_assert_eq!(score(&a, &b), score(&b, &a));
        prop_assert!(score(&a, &a).same());
        prop_assert!((0.0..=1.0).contains(&score(&a, &b).probability));
    }

    #[test]
    fn nearer_vectors_never_lower_the_probability(near in -1.0f32..1.0, nearer in 0.0f32..1.0) {
        let nearer = near + (1.0 - near) * nearer;
        let at = |cosine: f32| {
            let side = (1.0 - cosine * cosine).max(0.0).sqrt();
            let a = Statement::new("ask for the order number", Some(&[1.0, 0.0]));
            near_duplicate(&a, &Statement::new("ask first for their order number", Some(&[cosine, side]))).probability
        };
        prop_assert!(at(near) <= at(nearer));
    }
}
