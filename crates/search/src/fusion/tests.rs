use proptest::prelude::*;

use super::*;

fn ranked(query: &str, turns: &[(&str, &str)]) -> Vec<usize> {
    let question = Question::read(query);
    let candidates = candidates(&question, turns);
    best(&candidates, &fuse(&question, &candidates, &Weights::default()), turns.len())
}

fn candidates(question: &Question, turns: &[(&str, &str)]) -> Vec<Candidate> {
    let place = |position| Place { session: 1, position };
    let documents: Vec<Document> = (0..)
        .zip(turns)
        .map(|(at, (role, text))| Document::read(question, place(at), speaker_name(role), text))
        .collect();
    let scores = wording(question, &documents, None, &Weights::default());
    let candidate = |((role, text), wording): (&(&str, &str), Wording)| Candidate {
        wording,
        speaker: Speaker::of(role),
        standing: is_standing_request(text),
        ..Candidate::default()
    };
    turns.iter().zip(scores).map(candidate).collect()
}

#[test]
fn an_answer_is_found_by_the_question_before_it() {
    let turns = [
        ("Ann", "Nice weather today"),
        ("Ann", "Where did you buy the pottery wheel?"),
        ("Bob", "In a little shop by the harbour"),
        ("Ann", "Lovely"),
        ("Bob", "See you"),
        ("Ann", "The harbour was closed on Monday"),
    ];
    assert_eq!(ranked("Where did Bob buy his pottery wheel?", &turns)[..2], [1, 2]);
}

#[test]
fn context_stays_inside_the_session_and_fades_for_long_turns() {
    let question = Question::read("pottery wheel?");
    let read =
        |session, position, text: &str| Document::read(&question, Place { session, position }, None, text);
    let long = "other words ".repeat(300);
    let documents = [
        read(1, 0, "the pottery wheel"),
        read(1, 1, "a shop"),
        read(2, 1, "a shop"),
        read(3, 0, "the pottery wheel"),
        read(3, 1, &long),
    ];
    let scores = wording(&question, &documents, None, &Weights::default());
    assert!(scores[1].own == 0.0 && scores[1].context > 0.0);
    assert_eq!(scores[2], Wording::default());
    assert!(scores[4].context > 0.0 && scores[4].context < scores[1].context / 2.0);
}

#[test]
fn a_page_with_the_words_scattered_loses_to_a_passage_that_has_them_together() {
    let filler = "Something else is written here, at some length. ".repeat(12);
    let scattered = format!("A refund. {filler} An order. {filler} The fee.");
    let together = format!("{filler} {filler} The refund of an order fee.");
    assert_eq!(ranked("refund order fee?", &[("", &scattered), ("", ""), ("", ""), ("", &together)])[0], 3);
}

#[test]
fn what_the_asker_said_counts_more_when_they_ask_about_themselves() {
    let turns = [
        ("assistant", "Your lease ends in May"),
        ("assistant", "ok"),
        ("assistant", "ok"),
        ("user", "My lease ends in May"),
    ];
    assert_eq!(ranked("When does my lease end?", &turns)[0], 3);
    let question = Question::read("When did you say my lease ends?");
    let candidates = candidates(&question, &turns);
    let scores = fuse(&question, &candidates, &Weights::default());
    assert_eq!((scores[0].speaker, scores[3].speaker), (0.0, 0.0));
}

#[test]
fn only_a_user_makes_standing_requests() {
    let question = Question::read("Show prices");
    let candidate = |speaker| Candidate { speaker, standing: true, ..Candidate::default() };
    let candidates = [candidate(Speaker::User), candidate(Speaker::Assistant), candidate(Speaker::Other)];
    let scores = fuse(&question, &candidates, &Weights::default());
    assert_eq!(scores.iter().map(|score| score.standing).collect::<Vec<_>>(), [0.5, 0.0, 0.0]);
}

#[test]
fn a_row_without_a_vector_counts_as_an_average_one() {
    let question = Question::read("anything");
    let candidate = |cosine| Candidate { cosine, ..Candidate::default() };
    let scores =
        fuse(&question, &[candidate(Some(0.6)), candidate(None), candidate(Some(0.2))], &Weights::default());
    assert!(scores[0].score > scores[1].score && scores[1].score > scores[2].score);
    assert!((scores[1].meaning - 1.6).abs() < 1e-9);
    let without = fuse(&question, &[candidate(None)], &Weights::default());
    assert_eq!(without[0].meaning, 0.0);
}

#[test]
fn time_counts_only_when_asked_for_and_breaks_ties() {
    let question = Question::read("anything");
    let candidate = |time| Candidate { time, ..Candidate::default() };
    let candidates = [candidate(0), candidate(10), candidate(10), candidate(20)];
    let scores = fuse(&question, &candidates, &Weights::default());
    assert!(scores.iter().all(|score| score.score == 0.0));
    assert_eq!(best(&candidates, &scores, 3), [3, 1, 2]);
    let recent = Weights { recency: 1.0, half_life: 10.0, ..Weights::default() };
    let scores: Vec<f64> = fuse(&question, &candidates, &recent).iter().map(|score| score.recency).collect();
    assert_eq!(scores, [0.25, 0.5, 0.5, 1.0]);
}

#[test]
fn nothing_to_score_is_no_fault() {
    let question = Question::read("");
    assert!(wording(&question, &[], None, &Weights::default()).is_empty());
    assert!(fuse(&question, &[], &Weights::default()).is_empty());
    assert!(best(&[], &[], 3).is_empty());
    let other =
        Document::read(&Question::read("some other question"), Place::default(), None, "some question");
    assert_eq!(wording(&question, &[other], None, &Weights::default()), [Wording::default()]);
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -2.0..2.0f64, Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]
}

prop_compose! {
    fn any_candidate()(
        own in any_number(), context in any_number(), cosine in prop::option::of(any_number()),
        role in 0..3, standing: bool, time: i64,
    ) -> Candidate {
        let speaker = [Speaker::User, Speaker::Assistant, Speaker::Other][role as usize];
        Candidate { wording: Wording { own, context }, cosine, speaker, standing, time }
    }
}

prop_compose! {
    fn any_weights()(values in prop::array::uniform10(any_number())) -> Weights {
        let [saturation, length, near, far, context_terms, meaning, assistant, standing, recency, half_life] = values;
        Weights {
            saturation, length, context: [near, far], context_terms, meaning, assistant, standing, recency, half_life,
        }
    }
}

proptest! {
    #[test]
    fn scores_are_finite_the_sum_of_their_parts_and_always_the_same(
        candidates in prop::collection::vec(any_candidate(), 0..8), weights in any_weights(),
    ) {
        let question = Question::read("what did I say");
        let scores = fuse(&question, &candidates, &weights);
        prop_assert_eq!(&scores, &fuse(&question, &candidates, &weights));
        for score in &scores {
            let parts =
                [score.words, score.context, score.meaning, score.speaker, score.standing, score.recency];
            prop_assert!(parts.iter().chain([&score.score]).all(|part| part.is_finite()), "{:?}", score);
            prop_assert!((parts.iter().sum::<f64>() - score.score).abs() < 1e-3);
        }
        let order = best(&candidates, &scores, usize::MAX);
        prop_assert!(order.windows(2).all(|pair| scores[pair[0]].score >= scores[pair[1]].score));
    }

    #[test]
    fn better_words_or_meaning_never_score_less(
        candidates in prop::collection::vec(any_candidate(), 1..6), more in 0.0..1.0f64,
    ) {
        let (question, weights) = (Question::read("my order"), Weights::default());
        let before = fuse(&question, &candidates, &weights)[0].score;
        let mut worded = candidates.clone();
        worded[0].wording.own += more;
        prop_assert!(fuse(&question, &worded, &weights)[0].score >= before);
        let mut meant = candidates;
        meant[0].cosine = meant[0].cosine.map(|cosine| cosine + more);
        prop_assert!(fuse(&question, &meant, &weights)[0].score >= before);
    }

    #[test]
    fn any_text_and_any_weights_give_finite_wording(
        query in "\\PC{0,60}", texts in prop::collection::vec("(\\PC|a |order ){0,40}", 0..6), weights in any_weights(),
    ) {
        let question = Question::read(&query);
        let documents: Vec<Document> = (0..)
            .zip(&texts)
            .map(|(position, text)| Document::read(&question, Place { session: 0, position }, Some("a"), text))
            .collect();
        for score in wording(&question, &documents, None, &weights) {
            prop_assert!(score.own.is_finite() && score.context.is_finite(), "{:?}", score);
            prop_assert!(score.own >= 0.0 && score.context >= 0.0, "{:?}", score);
        }
    }

    #[test]
    fn saying_a_word_of_the_question_once_more_never_scores_less(times in 0usize..5, length in 0usize..20) {
        let question = Question::read("order refund?");
        let weights = Weights { length: 0.0, ..Weights::default() };
        let score = |times: usize| {
            let text = format!("{}{}", "order ".repeat(times), "other ".repeat(length));
            let documents = [&text, "refund", "something else"]
                .map(|text| Document::read(&question, Place::default(), None, text));
            wording(&question, &documents, None, &weights)[0].own
        };
        prop_assert!(score(times + 1) >= score(times));
    }
}
