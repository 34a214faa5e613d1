use proptest::prelude::*;

use super::*;

#[track_caller]
fn contradict(a: &str, b: &str) {
    let (a_stance, b_stance) = (Stance::of(a), Stance::of(b));
    assert!(a_stance.contradicts(&b_stance), "{a} | {b}: {a_stance:?} {b_stance:?}");
}

#[track_caller]
fn agree(a: &str, b: &str) {
    let (a_stance, b_stance) = (Stance::of(a), Stance::of(b));
    assert!(!a_stance.contradicts(&b_stance), "{a} | {b}: {a_stance:?} {b_stance:?}");
}

#[test]
fn do_and_do_not_of_the_same_thing_contradict() {
    contradict("Offer a refund before a replacement.", "Don't offer a refund before a replacement.");
    contradict("Never share tracking links", "Share tracking links with the customer");
    contradict("Avoid technical terms in answers", "Use technical terms in answers");
    contradict("Use emoji", "Do not use emojis, they look childish");
}

#[test]
fn opposite_words_about_the_same_thing_contradict() {
    contradict("Verify the address before the refund", "Verify the address after the refund");
    contradict("Give detailed answers about billing", "Give brief answers about billing");
    contradict("Include the invoice in every mail", "Exclude the invoice in every mail");
}

#[test]
fn both_denying_or_speaking_of_other_things_agrees() {
    agree("Do not offer a refund", "Never offer a refund first");
    agree("Never forget to ask for the order number", "Ask for the order number");
    agree("Do not hesitate to escalate fraud", "Escalate fraud at once");
    agree("Don't use emoji", "Offer a refund for late parcels");
    agree("Be brief and do not use jargon", "Be brief in every answer");
    agree("", "Do not use emoji");
}

#[test]
fn german_and_spanish_have_their_own_words() {
    contradict("Biete dem Kunden immer eine Erstattung an", "Biete dem Kunden niemals eine Erstattung an");
    contradict("Verwende keine Emojis in den Antworten", "Verwende Emojis in den Antworten");
    contradict("Ofrece el reembolso al cliente", "No ofrezcas nunca el reembolso al cliente");
}

proptest! {
    #[test]
    fn contradiction_is_symmetric_and_never_with_itself(a in "(never |do |not |use |emoji |more |less |\\PC)*", b in "(use |not |emoji |less )*") {
        let (a, b) = (Stance::of(&a), Stance::of(&b));
        prop_assert_eq!(a.contradicts(&b), b.contradicts(&a));
        prop_assert!(!a.contradicts(&a));
    }
}
