use proptest::prelude::*;

use super::*;

fn vector(topic: usize, shift: f32) -> Vec<f32> {
    let mut vector = [0.0f32; 10];
    if let Some(value) = vector.get_mut(topic % 8) {
        *value = 1.0;
    }
    if let Some(value) = vector.get_mut(8 + topic % 2) {
        *value = shift;
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn rows(topic: usize, count: usize) -> Vec<(String, Vec<f32>)> {
    (0..count).map(|at| (format!("topic{topic} number{at}"), vector(topic, at as f32 * 0.01))).collect()
}

fn items(rows: &[(String, Vec<f32>)]) -> Vec<Item<'_>> {
    rows.iter().map(|(text, vector)| Item { text, vector, ..Item::default() }).collect()
}

fn refreshed(rows: &[(String, Vec<f32>)]) -> (Clusters, Refresh) {
    let mut clusters = Clusters::new(Options::default());
    let found = clusters.refresh(&items(rows), &vec![None; rows.len()]).expect("vectors of one dimension");
    (clusters, found)
}

fn two_topics() -> Vec<(String, Vec<f32>)> {
    [rows(0, 7), rows(1, 6)].concat()
}

#[test]
fn a_new_row_joins_its_like_and_a_stranger_waits() {
    let (mut clusters, found) = refreshed(&two_topics());
    let like = vector(1, 0.02);
    let joins = clusters.join(&Item { text: "topic1 again", vector: &like, ..Item::default() });
    assert_eq!(joins, Ok(found.ids.get(1).copied()));
    assert_eq!(clusters.clusters().get(1).map(|it| (it.size, it.joined)), Some((7, 1)));
    let strange = vector(5, 0.0);
    assert_eq!(clusters.join(&Item { text: "else", vector: &strange, ..Item::default() }), Ok(None));
}

#[test]
fn before_the_first_refresh_everything_waits() {
    let mut clusters = Clusters::new(Options::default());
    assert_eq!(clusters.join(&Item { text: "anything", ..Item::default() }), Ok(None));
}

#[test]
fn a_refresh_of_the_same_rows_changes_nothing() {
    let rows = two_topics();
    let (mut clusters, first) = refreshed(&rows);
    assert_eq!(first.changed, first.ids);
    let mut reversed = rows;
    reversed.reverse();
    let mut previous = first.assignments.clone();
    previous.reverse();
    let second = clusters.refresh(&items(&reversed), &previous).expect("vectors of one dimension");
    assert_eq!((second.ids, second.changed, second.gone), (first.ids, vec![], vec![]));
}

#[test]
fn only_the_cluster_that_grew_is_changed_and_keeps_its_name() {
    let mut all = two_topics();
    let (mut clusters, first) = refreshed(&all);
    all.push(("topic1 one more".to_owned(), vector(1, 0.05)));
    let mut previous = first.assignments.clone();
    previous.push(None);
    let second = clusters.refresh(&items(&all), &previous).expect("vectors of one dimension");
    let grown = first.ids.get(1).copied();
    assert_eq!(second.assignments.last().copied().flatten(), grown);
    assert_eq!(second.changed, grown.into_iter().collect::<Vec<_>>());
    assert_eq!(second.gone, []);
}

#[test]
fn a_cluster_that_lost_its_members_is_gone_and_its_name_is_not_given_again() {
    let (mut clusters, first) = refreshed(&two_topics());
    let rest = [rows(0, 7), rows(3, 6)].concat();
    let mut previous: Vec<_> = first.assignments.iter().take(7).copied().collect();
    previous.extend([None; 6]);
    let second = clusters.refresh(&items(&rest), &previous).expect("vectors of one dimension");
    assert_eq!(second.gone, first.ids.get(1).copied().into_iter().collect::<Vec<_>>());
    assert_eq!(second.ids, [ClusterId(0), ClusterId(2)]);
    assert_eq!(second.changed, [ClusterId(2)]);
}

#[test]
fn a_stored_state_is_read_back_the_same() {
    let (clusters, _) = refreshed(&two_topics());
    let stored = serde_json::to_string(&clusters).expect("a state is data");
    let read: Clusters = serde_json::from_str(&stored).expect("what was written");
    assert_eq!(read, clusters);
}

proptest! {
    #[test]
    fn a_row_joins_exactly_if_it_is_near_enough(topic in 0..8usize, shift in 0.0f32..3.0) {
        let (clusters, _) = refreshed(&two_topics());
        let vector = vector(topic, shift);
        let item = Item { text: "topic1", vector: &vector, ..Item::default() };
        let near = clusters.nearest(&item).expect("vectors of one dimension");
        let place = clusters.space.as_ref().expect("refreshed").place(&item).expect("of one dimension");
        let best = clusters.clusters.iter().map(|it| reflexio_vectors::dot(&place, &it.middle)).fold(-1.0, f32::max);
        prop_assert_eq!(near.map(|it| it.1), (best >= clusters.options.nearness.join).then_some(best));
    }

    #[test]
    fn members_of_a_cluster_would_join_it_again(count in 5..12usize) {
        let all = [rows(0, count), rows(4, count)].concat();
        let (clusters, found) = refreshed(&all);
        for (item, assigned) in items(&all).iter().zip(found.assignments) {
            let near = clusters.nearest(item).expect("vectors of one dimension");
            prop_assert_eq!(near.map(|it| it.0), assigned);
        }
    }
}
