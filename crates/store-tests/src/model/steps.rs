use proptest::prelude::*;
use proptest::sample::{Index, select};
use reflexio_store::{AgentPlaybookChange, UserPlaybookChange};
use reflexio_types::{AgentPlaybook, PlaybookStatus, Profile, Status, UserPlaybook};

use crate::sample::{agent_playbook, profile, user_playbook};

/// One call of the store. Names are few, so that steps meet each other.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Publish {
        request: String,
        user: String,
        session: String,
        second: i64,
        turns: Vec<(String, Option<String>)>,
    },
    DeleteRequests(Vec<String>),
    DeleteSession(String),
    DeleteInteraction {
        user: String,
        pick: Index,
    },
    DeleteAllInteractions,
    AddProfiles(Vec<Profile>),
    DeleteProfiles(Vec<String>),
    DeleteProfileOf {
        user: String,
        id: String,
    },
    DeleteAllProfiles,
    UpgradeProfiles {
        user: Option<String>,
        only_affected: bool,
    },
    DowngradeProfiles {
        user: Option<String>,
        only_affected: bool,
    },
    AddUserPlaybooks(Vec<UserPlaybook>),
    EditUserPlaybook {
        pick: Index,
        change: UserPlaybookChange,
    },
    DeleteUserPlaybooks(Vec<Index>),
    DeleteAllUserPlaybooks,
    UpgradeUserPlaybooks {
        version: Option<String>,
        name: Option<String>,
        archive: bool,
    },
    DowngradeUserPlaybooks {
        version: Option<String>,
        name: Option<String>,
    },
    AddAgentPlaybooks(Vec<AgentPlaybook>),
    EditAgentPlaybook {
        pick: Index,
        change: AgentPlaybookChange,
    },
    DeleteAgentPlaybooks(Vec<Index>),
    DeleteAllAgentPlaybooks,
    ClearUser(String),
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => publish(),
        2 => requests().prop_map(Step::DeleteRequests),
        1 => name("s", 3).prop_map(Step::DeleteSession),
        3 => (name("u", 3), any::<Index>()).prop_map(|(user, pick)| Step::DeleteInteraction { user, pick }),
        1 => Just(Step::DeleteAllInteractions),
        5 => prop::collection::vec(some_profile(), 1..4).prop_map(Step::AddProfiles),
        2 => prop::collection::vec(name("p", 9), 0..3).prop_map(Step::DeleteProfiles),
        1 => (name("u", 3), name("p", 9)).prop_map(|(user, id)| Step::DeleteProfileOf { user, id }),
        1 => Just(Step::DeleteAllProfiles),
        3 => (prop::option::of(name("u", 3)), any::<bool>())
            .prop_map(|(user, only_affected)| Step::UpgradeProfiles { user, only_affected }),
        2 => (prop::option::of(name("u", 3)), any::<bool>())
            .prop_map(|(user, only_affected)| Step::DowngradeProfiles { user, only_affected }),
        5 => prop::collection::vec(some_user_playbook(), 1..4).prop_map(Step::AddUserPlaybooks),
        3 => (any::<Index>(), user_change()).prop_map(|(pick, change)| Step::EditUserPlaybook { pick, change }),
        2 => prop::collection::vec(any::<Index>(), 0..3).prop_map(Step::DeleteUserPlaybooks),
        1 => Just(Step::DeleteAllUserPlaybooks),
        3 => (prop::option::of(name("v", 2)), prop::option::of(name("n", 2)), any::<bool>())
            .prop_map(|(version, name, archive)| Step::UpgradeUserPlaybooks { version, name, archive }),
        2 => (prop::option::of(name("v", 2)), prop::option::of(name("n", 2)))
            .prop_map(|(version, name)| Step::DowngradeUserPlaybooks { version, name }),
        3 => prop::collection::vec(some_agent_playbook(), 1..3).prop_map(Step::AddAgentPlaybooks),
        3 => (any::<Index>(), agent_change()).prop_map(|(pick, change)| Step::EditAgentPlaybook { pick, change }),
        1 => prop::collection::vec(any::<Index>(), 0..3).prop_map(Step::DeleteAgentPlaybooks),
        1 => Just(Step::DeleteAllAgentPlaybooks),
        2 => name("u", 3).prop_map(Step::ClearUser),
    ]
}

fn publish() -> impl Strategy<Value = Step> {
    let turns = prop::collection::vec((content(), prop::option::weighted(0.3, name("i", 2))), 0..4);
    (name("r", 6), name("u", 3), name("s", 3), second(), turns).prop_map(
        |(request, user, session, second, turns)| Step::Publish { request, user, session, second, turns },
    )
}

fn requests() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(name("r", 6), 0..4)
}

fn some_profile() -> impl Strategy<Value = Profile> {
    (name("p", 9), name("u", 3), second(), status(), content()).prop_map(
        |(id, user, second, status, content)| Profile { status, ..profile(&id, &user, second, &content) },
    )
}

fn some_user_playbook() -> impl Strategy<Value = UserPlaybook> {
    let names = (prop::option::of(name("u", 3)), name("v", 2), name("n", 2));
    (names, second(), status(), content()).prop_map(|((user, version, name), second, status, content)| {
        UserPlaybook {
            user_id: user.map(Into::into),
            agent_version: version,
            playbook_name: name,
            status,
            ..user_playbook("", second, &content)
        }
    })
}

fn some_agent_playbook() -> impl Strategy<Value = AgentPlaybook> {
    (name("n", 2), second(), status(), decision(), content()).prop_map(
        |(name, second, status, decision, content)| AgentPlaybook {
            status,
            playbook_status: decision,
            ..agent_playbook(&name, second, &content)
        },
    )
}

fn user_change() -> impl Strategy<Value = UserPlaybookChange> {
    let text = || prop::option::of(content());
    (text(), text(), text(), prop::option::of(name("n", 2))).prop_map(
        |(content, trigger, rationale, playbook_name)| UserPlaybookChange {
            playbook_name,
            content,
            trigger,
            rationale,
        },
    )
}

fn agent_change() -> impl Strategy<Value = AgentPlaybookChange> {
    (user_change(), prop::option::of(decision())).prop_map(|(change, playbook_status)| AgentPlaybookChange {
        playbook_name: change.playbook_name,
        content: change.content,
        trigger: change.trigger,
        rationale: change.rationale,
        playbook_status,
        ..AgentPlaybookChange::default()
    })
}

fn name(letter: &'static str, count: u8) -> impl Strategy<Value = String> {
    (0..count).prop_map(move |n| format!("{letter}{n}"))
}

fn second() -> impl Strategy<Value = i64> {
    0..5_i64
}

fn content() -> impl Strategy<Value = String> {
    prop::collection::vec(select(vec!["apple", "pear", "Plums", "the", "東京"]), 0..4)
        .prop_map(|words| words.join(" "))
}

fn status() -> impl Strategy<Value = Status> {
    select(vec![
        Status::Current,
        Status::Current,
        Status::Pending,
        Status::Pending,
        Status::Archived,
        Status::Merged,
    ])
}

fn decision() -> impl Strategy<Value = PlaybookStatus> {
    select(PlaybookStatus::ALL.to_vec())
}
