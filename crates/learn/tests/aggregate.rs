//! What is remembered from one aggregation to the next.

use reflexio_learn::aggregate::{Member, Memory};
use reflexio_types::config::PlaybookAggregatorConfig;
use reflexio_types::{Status, Timestamp, UserPlaybook, UserPlaybookBody, UserPlaybookId};

const DAMAGED: &str = "The user asks for a refund of a damaged parcel";
const PHOTO: &str = "Ask for a photo of the damaged parcel before the refund";

fn member(id: i64, trigger: &str, instruction: &str) -> Member {
    let row = UserPlaybook {
        id: UserPlaybookId(id),
        user_id: Some(format!("u{id}").as_str().into()),
        request_id: "r".into(),
        playbook_name: "general".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        source: None,
        status: Status::Current,
        body: UserPlaybookBody {
            content: instruction.to_owned(),
            trigger: Some(trigger.to_owned()),
            instruction: Some(instruction.to_owned()),
            ..UserPlaybookBody::default()
        },
    };
    Member { row, vector: None, session: None }
}

#[test]
fn a_new_row_joins_its_cluster_or_waits_and_no_cluster_changes_for_it() {
    let config = PlaybookAggregatorConfig::default();
    let mut memory = Memory::default();
    let mut members: Vec<Member> = (1..=4).map(|id| member(id, DAMAGED, PHOTO)).collect();
    let first = memory.refresh(&members, &config).unwrap();
    assert_eq!((first.clusters, first.changed.len()), (1, 1));
    let cluster = first.changed[0].cluster;

    let like = member(5, DAMAGED, "Ask for a photo of the parcel before the refund");
    let unlike = member(6, "The user greets the agent in Spanish", "Answer in Spanish");
    let new = [like.clone(), unlike.clone()];
    assert!(new.iter().all(|one| memory.is_new(&one.row)));
    let joined = memory.join(&new, &config);
    assert_eq!((joined.clusters.get(&cluster), joined.waiting), (Some(&vec![0]), 1));
    assert!(new.iter().all(|one| !memory.is_new(&one.row)), "looked at once");

    members.extend(new);
    let rows: Vec<UserPlaybook> = members.iter().map(|one| one.row.clone()).collect();
    assert_eq!(memory.unseen(&rows), 2, "both still count for the next refresh");
    let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
    assert_eq!(kept, memory);
    let second = memory.refresh(&members, &config).unwrap();
    assert_eq!((second.clusters, second.changed[0].cluster), (1, cluster), "it keeps its number");
    assert_eq!((second.changed[0].members.len(), second.changed[0].users), (5, 5));
    assert_eq!(memory.unseen(&rows), 0);
}

#[test]
fn before_the_first_refresh_every_row_waits() {
    let mut memory = Memory::default();
    let joined = memory.join(&[member(1, DAMAGED, PHOTO)], &PlaybookAggregatorConfig::default());
    assert_eq!((joined.clusters.len(), joined.waiting), (0, 1));
}
