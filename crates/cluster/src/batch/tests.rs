use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// An item with a direction of its own: two numbers that say which topic, and how far from its middle.
fn vector(topic: usize, shift: f32) -> Vec<f32> {
    let mut vector = [0.0; 16];
    if let Some(value) = vector.get_mut(topic % 12) {
        *value = 1.0;
    }
    if let Some(value) = vector.get_mut(12 + topic % 4) {
        *value = shift;
    }
    let length = dot(&vector, &vector).sqrt();
    vector.iter().map(|value| value / length).collect()
}

#[derive(Debug, Clone)]
struct Row {
    text: String,
    vector: Vec<f32>,
    group: Option<String>,
    instruction: String,
}

impl Row {
    fn new(topic: usize, shift: f32) -> Self {
        let text = format!("topic{topic} words of{topic}");
        Self { text, vector: vector(topic, shift), group: None, instruction: String::new() }
    }

    fn of(self, group: &str) -> Self {
        Self { group: Some(group.to_owned()), ..self }
    }
}

fn items(rows: &[Row]) -> Vec<Item<'_>> {
    rows.iter()
        .map(|row| Item {
            text: &row.text,
            vector: &row.vector,
            group: row.group.as_deref(),
            instruction: &row.instruction,
        })
        .collect()
}

fn labels(rows: &[Row], options: &Options) -> Vec<i64> {
    let items = items(rows);
    cluster(&items, options).expect("vectors of one dimension").labels(rows.len())
}

fn at_least(min_cluster_size: usize) -> Options {
    Options { min_cluster_size, ..Options::default() }
}

/// `count` rows of each topic, a little apart from each other.
fn topics(topics: std::ops::Range<usize>, count: usize) -> Vec<Row> {
    topics.flat_map(|topic| (0..count).map(move |at| Row::new(topic, at as f32 * 0.01))).collect()
}

#[test]
fn rows_of_a_topic_are_a_cluster_and_a_lonely_row_is_noise() {
    let mut rows = topics(0..3, 6);
    rows.push(Row::new(9, 0.0));
    let found = labels(&rows, &Options::default());
    assert_eq!(found, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, -1]);
}

#[test]
fn nothing_and_a_single_row_are_noise() {
    assert_eq!(labels(&[], &Options::default()), [0i64; 0]);
    assert_eq!(labels(&topics(0..1, 1), &Options::default()), [-1]);
    assert_eq!(labels(&topics(0..1, 1), &at_least(1)), [0]);
    assert_eq!(labels(&topics(0..1, 1), &at_least(0)), [0]);
}

#[test]
fn ten_thousand_identical_rows_are_one_cluster() {
    let rows = vec![Row::new(3, 0.0); 10_000];
    assert_eq!(labels(&rows, &Options::default()), vec![0; 10_000]);
}

#[test]
fn identical_rows_without_text_and_vector_are_no_cluster_of_words() {
    let empty = Item::default();
    let found = cluster(&[empty; 8], &Options::for_items(&[empty; 8])).expect("no vectors");
    // They say the same, which is nothing: one cluster, and no number that is not one.
    assert_eq!(found.labels(8), [0; 8]);
    assert!(found.clusters.iter().all(|it| it.agreement.is_finite()));
}

#[test]
fn rows_that_are_all_different_are_noise() {
    let rows: Vec<Row> = (0..12).map(|topic| Row::new(topic, 0.0)).collect();
    assert_eq!(labels(&rows, &Options::default()), [-1; 12]);
}

#[test]
fn words_alone_make_clusters_too() {
    let texts =
        ["reset my password please", "password reset", "how do I reset the password", "reset the password"];
    let rows: Vec<Item<'_>> = texts.iter().map(|text| Item { text, ..Item::default() }).collect();
    let options = Options { min_cluster_size: 3, ..Options::for_items(&rows) };
    let found = cluster(&rows, &options).expect("no vectors");
    assert_eq!(found.labels(4), [0; 4]);
}

#[test]
fn a_vector_of_another_dimension_or_without_numbers_is_named() {
    let good = Item { vector: &[1.0, 0.0], ..Item::default() };
    let short = Item { vector: &[1.0], ..Item::default() };
    let broken = Item { vector: &[f32::NAN, 0.0], ..Item::default() };
    let refused = |second| cluster(&[good, second], &Options::default()).expect_err("it cannot be compared");
    assert_eq!(refused(short), Error::Dimension { item: 1, expected: 2, found: 1 });
    assert_eq!(refused(broken), Error::NotANumber { item: 1 });
}

#[test]
fn groups_are_counted_if_asked_for() {
    let own: Vec<Row> = topics(0..1, 6).into_iter().map(|row| row.of("one user")).collect();
    let shared = topics(1..2, 6).into_iter().enumerate().map(|(at, row)| row.of(&format!("user {at}")));
    let rows: Vec<Row> = own.into_iter().chain(shared).collect();
    let by_groups = Options { count: Count::Groups, ..Options::default() };
    assert_eq!(labels(&rows, &by_groups), [-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0]);
    assert!(labels(&rows, &Options::default()).iter().all(|&label| label >= 0));
}

#[test]
fn one_user_with_nine_of_ten_rows_does_not_hide_the_others() {
    let loud = (0..90).map(|at| Row::new(0, at as f32 * 0.005).of("loud"));
    let quiet = (0..10).map(|at| Row::new(1, at as f32 * 0.01).of(&format!("quiet {at}")));
    let rows: Vec<Row> = loud.chain(quiet).collect();
    let items = items(&rows);
    let weights = canonical::weights(&items);
    let loudness: f32 = weights.iter().take(90).sum();
    assert!((loudness - 10.0).abs() < 1e-3, "{loudness}");
    let by_groups = Options { count: Count::Groups, ..Options::default() };
    let found = cluster(&items, &by_groups).expect("vectors of one dimension");
    assert_eq!(found.clusters.len(), 1);
    assert_eq!(
        found.clusters.first().map(|it| (it.groups, it.members.first().copied())),
        Some((10, Some(90)))
    );
}

#[test]
fn members_that_say_do_and_do_not_are_two_clusters() {
    let say = |instruction: &'static str, shift: usize| Row {
        instruction: instruction.to_owned(),
        ..Row::new(0, shift as f32 * 0.01)
    };
    let mut rows: Vec<Row> = (0..5).map(|at| say("Offer a refund to the customer", at)).collect();
    rows.extend((5..8).map(|at| say("Do not offer a refund to the customer", at)));
    assert_eq!(labels(&rows, &at_least(3)), [0, 0, 0, 0, 0, 1, 1, 1]);
    // A side that is too small is no cluster, and does not spoil the other.
    assert_eq!(labels(&rows, &at_least(4)), [0, 0, 0, 0, 0, -1, -1, -1]);
}

#[test]
fn the_medoid_is_in_the_middle_of_its_cluster() {
    let rows: Vec<Row> = [-0.3f32, 0.0, 0.3, 0.01, -0.02].iter().map(|&shift| Row::new(0, shift)).collect();
    let found = cluster(&items(&rows), &Options::default()).expect("vectors of one dimension");
    assert_eq!(found.clusters.first().map(|it| it.medoid), Some(1));
}

#[test]
fn crowds_stay_together_without_comparing_all_pairs() {
    // Each in a direction of its own around its topic, so that nobody is near to all.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let mut row = |topic: usize, at: usize| {
        let mut vector: Vec<f32> = (0..64).map(|_| 0.45 * next()).collect();
        vector.iter_mut().skip(topic * 8).take(8).for_each(|value| *value += 0.5);
        let length = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        Row { text: format!("number {at}"), vector, ..Row::new(topic, 0.0) }
    };
    let rows: Vec<Row> = (0..1_000).map(|at| row(at % 5, at)).collect();
    let found =
        cluster_exactly_up_to(0, &items(&rows), &Options::default()).expect("vectors of one dimension");
    let sizes: Vec<usize> = found.clusters.iter().map(|it| it.members.len()).collect();
    assert_eq!(sizes, [200; 5]);
}

#[test]
fn a_small_example_looks_like_this() {
    let texts = [
        "I want to reset my password",
        "please reset my password",
        "reset password does not work",
        "where is my parcel",
        "my parcel is late",
        "where is the late parcel",
        "do you sell gift cards",
    ];
    let rows: Vec<Item<'_>> = texts.iter().map(|text| Item { text, ..Item::default() }).collect();
    let options = Options { min_cluster_size: 3, ..Options::for_items(&rows) };
    let found = cluster(&rows, &options).expect("no vectors");
    let mut shown = String::new();
    for (text, label) in texts.iter().zip(found.labels(texts.len())) {
        shown.push_str(&format!("{label:>2}  {text}\n"));
    }
    insta::assert_snapshot!(shown, @r"
     0  I want to reset my password
     0  please reset my password
     0  reset password does not work
     1  where is my parcel
     1  my parcel is late
     1  where is the late parcel
    -1  do you sell gift cards
    ");
}

fn any_rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..5usize, 0..40u32, prop::option::of(0..3u32));
    let row = row.prop_map(|(topic, shift, group)| Row {
        group: group.map(|group| group.to_string()),
        ..Row::new(topic, shift as f32 * 0.05)
    });
    prop::collection::vec(row, 0..40)
}

/// Clusters as sets, whatever their numbers.
fn sets(labels: &[i64]) -> Vec<Vec<usize>> {
    let mut sets: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (row, &label) in labels.iter().enumerate().filter(|&(_, &label)| label >= 0) {
        sets.entry(label).or_default().push(row);
    }
    sets.into_values().collect()
}

proptest! {
    // Each case clusters a hundred rows twice.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_rows_does_not_matter(
        (rows, order) in any_rows().prop_flat_map(|rows| {
            let order: Vec<usize> = (0..rows.len()).collect();
            (Just(rows), Just(order).prop_shuffle())
        }),
        least in 1..6usize,
    ) {
        let shuffled: Vec<Row> = order.iter().filter_map(|&at| rows.get(at).cloned()).collect();
        let (one, other) = (labels(&rows, &at_least(least)), labels(&shuffled, &at_least(least)));
        let expected: Vec<i64> = order.iter().filter_map(|&at| one.get(at).copied()).collect();
        prop_assert_eq!(other, expected);
    }

    #[test]
    fn no_cluster_is_smaller_than_asked_for(rows in any_rows(), least in 1..6usize, by_groups: bool) {
        let count = if by_groups { Count::Groups } else { Count::Rows };
        let options = Options { count, ..at_least(least) };
        for members in sets(&labels(&rows, &options)) {
            let groups: BTreeSet<_> = members.iter().filter_map(|&at| rows.get(at)).map(|row| &row.group).collect();
            let counted = if by_groups { groups.len() } else { members.len() };
            prop_assert!(counted >= least);
        }
    }

    #[test]
    fn without_comparing_all_pairs_well_separated_topics_are_found_the_same(count in 5..20usize) {
        let rows = topics(0..8, count);
        let items = items(&rows);
        let exact = cluster(&items, &Options::default()).expect("vectors of one dimension");
        let sparse = cluster_exactly_up_to(0, &items, &Options::default()).expect("vectors of one dimension");
        prop_assert_eq!(exact.labels(rows.len()), sparse.labels(rows.len()));
    }

    #[test]
    fn without_comparing_all_pairs_order_and_size_are_kept_too(rows in any_rows(), least in 1..6usize) {
        let sparse = |rows: &[Row]| {
            let items = items(rows);
            cluster_exactly_up_to(0, &items, &at_least(least)).expect("vectors of one dimension").labels(rows.len())
        };
        let reversed: Vec<Row> = rows.iter().rev().cloned().collect();
        let (mut backwards, forwards) = (sparse(&reversed), sparse(&rows));
        backwards.reverse();
        prop_assert_eq!(&backwards, &forwards);
        prop_assert!(sets(&forwards).iter().all(|members| members.len() >= least));
    }

    #[test]
    fn every_number_is_finite_whatever_the_vectors(
        values in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0.0f32), -1.0f32..1.0], 3), 0..20),
    ) {
        let items: Vec<Item<'_>> = values.iter().map(|vector| Item { vector, ..Item::default() }).collect();
        let found = cluster(&items, &at_least(1)).expect("vectors of one dimension");
        for it in &found.clusters {
            prop_assert!(it.agreement.is_finite() && it.weight.is_finite() && it.sum.iter().all(|value| value.is_finite()));
        }
    }
}
