"""Adding, reading, searching, editing and upgrading user playbooks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reflexio import Status, UserPlaybook

from conversations import now
from expect import same_shape

BRIEF, STEPS = "Answer in one sentence", "Give numbered steps for refunds"


def playbook(user: str, version: str, **fields) -> UserPlaybook:
    defaults = {
        "content": BRIEF,
        "trigger": "user asks for a summary",
        "playbook_name": "style",
        "request_id": "r-1",
    }
    return UserPlaybook(user_id=user, agent_version=version, **defaults | fields)


@pytest.fixture
def version(name):
    return name("v")


@pytest.fixture
def stocked(client, user, version):
    """A user with two current playbooks; the refund one is the newer."""
    rows = [
        playbook(user, version, created_at=now() - 60),
        playbook(user, version, content=STEPS, playbook_name="refunds", trigger="refund"),
    ]
    assert client.add_user_playbook(rows).added_count == 2
    return user


def contents(answer) -> list[str]:
    return [row.content for row in answer.user_playbooks]


def test_added_user_playbooks_are_counted(client, user, version):
    answer = client.add_user_playbook([playbook(user, version)])
    assert (answer.success, answer.added_count) == (True, 1)
    same_shape("B.add_user_playbook", client.last())


def test_user_playbook_fields_survive(client, user, version):
    sent = playbook(
        user,
        version,
        rationale="it saves time",
        source="chat",
        source_interaction_ids=[7, 8],
        source_span="shorter!",
        tags=["tone"],
        created_at=now() - 5,
    )
    client.add_user_playbook([sent])
    (row,) = client.get_user_playbooks(agent_version=version).user_playbooks
    kept = (
        "user_id",
        "agent_version",
        "request_id",
        "playbook_name",
        "created_at",
        "content",
        "trigger",
        "rationale",
        "source",
        "source_interaction_ids",
        "source_span",
        "tags",
    )
    assert {field: getattr(row, field) for field in kept} == {
        field: getattr(sent, field) for field in kept
    }
    assert row.user_playbook_id > 0


def test_a_trigger_alone_makes_a_user_playbook(client, user, version):
    assert (
        client.add_user_playbook(
            [playbook(user, version, content="", trigger="user is angry")]
        ).added_count
        == 1
    )
    assert (
        client.get_user_playbooks(agent_version=version).user_playbooks[0].trigger
        == "user is angry"
    )


def test_user_playbooks_come_newest_first(client, stocked, version):
    assert contents(client.get_user_playbooks(agent_version=version)) == [STEPS, BRIEF]
    same_shape("B.get_user_playbooks.v3", client.last())


def test_user_playbooks_can_be_filtered(client, stocked, version):
    _, brief = client.get_user_playbooks(user_id=stocked).user_playbooks
    assert contents(client.get_user_playbooks(user_id=stocked, limit=1)) == [STEPS]
    assert contents(client.get_user_playbooks(user_playbook_id=brief.user_playbook_id)) == [BRIEF]
    assert contents(client.get_user_playbooks(user_id=stocked, request_id="r-1")) == [STEPS, BRIEF]
    assert contents(client.get_user_playbooks(user_id=stocked, query="numbered")) == [STEPS]
    assert contents(
        client.get_user_playbooks(user_id=stocked, end_time=datetime.fromtimestamp(now() - 30, UTC))
    ) == [BRIEF]
    client.add_user_playbook(
        [playbook(stocked, version, content="Use the first name", tags=["tone"])]
    )
    assert contents(client.get_user_playbooks(user_id=stocked, tags=["tone"])) == [
        "Use the first name"
    ]


def test_without_a_filter_pending_and_archived_rows_are_included(client, stocked, version):
    client.add_user_playbook(
        [
            playbook(stocked, version, content=f"as {status.value}", status=status)
            for status in (Status.PENDING, Status.ARCHIVED)
        ]
    )
    assert set(contents(client.get_user_playbooks(agent_version=version))) == {
        BRIEF,
        STEPS,
        "as pending",
        "as archived",
    }
    same_shape(
        "A.get_user_playbooks.no_filter_after_upgrade",
        client.last(),
        besides={"user_playbooks[].rationale", "user_playbooks[].source_span"},
    )


@pytest.mark.parametrize("status", [Status.PENDING, Status.ARCHIVED])
def test_status_filter_picks_that_status(client, stocked, version, status):
    client.add_user_playbook([playbook(stocked, version, content="other", status=status)])
    assert contents(client.get_user_playbooks(agent_version=version, status_filter=[status])) == [
        "other"
    ]
    assert client.last()["user_playbooks"][0]["status"] == status.value
    assert contents(client.get_user_playbooks(agent_version=version, status_filter=[None])) == [
        STEPS,
        BRIEF,
    ]
    assert not any("status" in row for row in client.last()["user_playbooks"])


def test_search_finds_the_matching_user_playbook(client, stocked):
    assert (
        contents(client.search_user_playbooks(query="numbered steps", user_id=stocked))[0] == STEPS
    )
    same_shape("B.search_user_playbooks", client.last())


def test_search_respects_name_version_and_status(client, stocked, version, name):
    assert contents(
        client.search_user_playbooks(
            query="summary refund", user_id=stocked, playbook_name="refunds"
        )
    ) == [STEPS]
    assert (
        contents(
            client.search_user_playbooks(
                query="refund", user_id=stocked, agent_version=name("other")
            )
        )
        == []
    )
    assert (
        contents(
            client.search_user_playbooks(
                query="refund", user_id=stocked, status_filter=[Status.PENDING]
            )
        )
        == []
    )
    assert (
        len(
            contents(
                client.search_user_playbooks(query="summary refund", agent_version=version, top_k=1)
            )
        )
        == 1
    )


def test_an_update_changes_only_what_it_names(client, stocked, version):
    before = client.get_user_playbooks(agent_version=version).user_playbooks[0]
    answer = client.update_user_playbook(
        before.user_playbook_id, content="Give three steps for refunds", rationale="shorter"
    )
    assert answer.success
    same_shape("B.update_user_playbook", client.last())
    after = client.get_user_playbooks(user_playbook_id=before.user_playbook_id).user_playbooks[0]
    assert (after.content, after.rationale) == ("Give three steps for refunds", "shorter")
    assert (after.trigger, after.playbook_name, after.created_at) == (
        before.trigger,
        before.playbook_name,
        before.created_at,
    )


def test_upgrade_promotes_pending_and_archives_current(client, stocked, version):
    client.add_user_playbook(
        [
            playbook(
                stocked,
                version,
                content="Give two steps",
                playbook_name="refunds",
                status=Status.PENDING,
            )
        ]
    )
    answer = client.upgrade_user_playbooks(agent_version=version)
    assert (answer.success, answer.user_playbooks_promoted, answer.user_playbooks_archived) == (
        True,
        1,
        2,
    )
    same_shape("A.upgrade_user_playbooks", client.last())
    assert contents(client.get_user_playbooks(agent_version=version, status_filter=[None])) == [
        "Give two steps"
    ]
    assert set(
        contents(client.get_user_playbooks(agent_version=version, status_filter=[Status.ARCHIVED]))
    ) == {BRIEF, STEPS}


def test_upgrade_without_pending_rows_says_so_and_changes_nothing(client, stocked, version):
    answer = client.upgrade_user_playbooks(agent_version=version)
    assert (answer.success, answer.user_playbooks_promoted, answer.user_playbooks_archived) == (
        False,
        0,
        0,
    )
    same_shape("X.upgrade_user_playbooks.nothing", client.last())
    assert contents(client.get_user_playbooks(agent_version=version, status_filter=[None])) == [
        STEPS,
        BRIEF,
    ]
