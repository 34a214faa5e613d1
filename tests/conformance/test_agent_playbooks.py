"""add_agent_playbooks, get_agent_playbooks, search_agent_playbooks and their updates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reflexio import AgentPlaybook, PlaybookStatus, Status

from conversations import now
from expect import same_shape

CONFIRM, OFFER = "Confirm that the fix worked", "Offer a voucher for late parcels"


def playbook(version: str, **fields) -> AgentPlaybook:
    defaults = {
        "content": CONFIRM,
        "trigger": "support request",
        "playbook_name": "style",
        "playbook_metadata": "{}",
    }
    return AgentPlaybook(agent_version=version, **defaults | fields)


@pytest.fixture
def version(name):
    return name("v")


@pytest.fixture
def stocked(client, version):
    """Two agent playbooks: an older one awaiting approval and a newer approved one."""
    approved = playbook(
        version,
        content=OFFER,
        trigger="parcel is late",
        playbook_name="delivery",
        playbook_status=PlaybookStatus.APPROVED,
    )
    assert (
        client.add_agent_playbooks([playbook(version, created_at=now() - 60), approved]).added_count
        == 2
    )
    return version


def contents(answer) -> list[str]:
    return [row.content for row in answer.agent_playbooks]


def test_added_agent_playbooks_are_counted(client, version):
    answer = client.add_agent_playbooks([playbook(version)])
    assert (answer.success, answer.added_count) == (True, 1)
    same_shape("B.add_agent_playbooks", client.last())


def test_agent_playbook_fields_survive(client, version):
    sent = playbook(
        version,
        rationale="customers come back",
        playbook_metadata='{"score": 4}',
        tags=["care"],
        created_at=now() - 5,
    )
    client.add_agent_playbooks([sent])
    (row,) = client.get_agent_playbooks(agent_version=version).agent_playbooks
    kept = (
        "playbook_name",
        "agent_version",
        "created_at",
        "content",
        "trigger",
        "rationale",
        "playbook_status",
        "playbook_metadata",
        "tags",
    )
    assert {field: getattr(row, field) for field in kept} == {
        field: getattr(sent, field) for field in kept
    }
    assert row.agent_playbook_id > 0


def test_without_a_filter_any_approval_is_shown_newest_first(client, stocked):
    assert contents(client.get_agent_playbooks(agent_version=stocked)) == [OFFER, CONFIRM]
    same_shape("B.get_agent_playbooks.v3", client.last())


@pytest.mark.parametrize(
    ("approval", "expected"),
    [
        (PlaybookStatus.PENDING, [CONFIRM]),
        (PlaybookStatus.APPROVED, [OFFER]),
        (PlaybookStatus.REJECTED, []),
    ],
)
def test_approval_filter_picks_that_approval(client, stocked, approval, expected):
    assert (
        contents(client.get_agent_playbooks(agent_version=stocked, playbook_status_filter=approval))
        == expected
    )
    same_shape("B.get_agent_playbooks.approved", client.last(), may_be_empty=not expected)


def test_lifecycle_filter_picks_that_status(client, stocked):
    client.add_agent_playbooks([playbook(stocked, content="old wording", status=Status.ARCHIVED)])
    assert contents(
        client.get_agent_playbooks(agent_version=stocked, status_filter=[Status.ARCHIVED])
    ) == ["old wording"]
    assert contents(client.get_agent_playbooks(agent_version=stocked, status_filter=[None])) == [
        OFFER,
        CONFIRM,
    ]
    same_shape("B.get_agent_playbooks.v3", client.last())


def test_agent_playbooks_can_be_filtered(client, stocked):
    confirm = client.get_agent_playbooks(
        agent_version=stocked, playbook_name="style"
    ).agent_playbooks[0]
    assert contents(client.get_agent_playbooks(agent_playbook_id=confirm.agent_playbook_id)) == [
        CONFIRM
    ]
    assert contents(client.get_agent_playbooks(agent_version=stocked, limit=1)) == [OFFER]
    assert contents(client.get_agent_playbooks(agent_version=stocked, query="voucher")) == [OFFER]
    assert contents(
        client.get_agent_playbooks(
            agent_version=stocked, end_time=datetime.fromtimestamp(now() - 30, UTC)
        )
    ) == [CONFIRM]


def test_a_repeated_question_is_answered_from_the_clients_cache(client, stocked):
    client.get_agent_playbooks(agent_version=stocked)
    calls = len(client.exchanges)
    client.get_agent_playbooks(agent_version=stocked)
    assert len(client.exchanges) == calls
    client.get_agent_playbooks(agent_version=stocked, force_refresh=True)
    assert len(client.exchanges) == calls + 1


def test_search_finds_the_matching_agent_playbook(client, stocked):
    answer = client.search_agent_playbooks(query="late parcels voucher", agent_version=stocked)
    assert contents(answer)[0] == OFFER
    same_shape("B.search_agent_playbooks", client.last())


def test_search_respects_name_and_approval(client, stocked):
    everything = "support request fix parcel voucher"
    assert contents(
        client.search_agent_playbooks(
            query=everything, agent_version=stocked, playbook_name="delivery"
        )
    ) == [OFFER]
    assert contents(
        client.search_agent_playbooks(
            query=everything, agent_version=stocked, playbook_status_filter=PlaybookStatus.PENDING
        )
    ) == [CONFIRM]


def test_search_accepts_several_approvals(api, stocked):
    body = {
        "query": "support request fix parcel voucher",
        "agent_version": stocked,
        "playbook_status_filter": ["pending", "approved"],
    }
    answer = api.post("/api/search_agent_playbooks", body).json()
    assert {row["content"] for row in answer["agent_playbooks"]} == {CONFIRM, OFFER}


def test_an_update_changes_only_what_it_names(client, stocked):
    before = client.get_agent_playbooks(
        agent_version=stocked, playbook_name="style"
    ).agent_playbooks[0]
    assert client.update_agent_playbook(
        before.agent_playbook_id, content="Ask whether the fix worked", rationale="closes the case"
    ).success
    same_shape("B.update_agent_playbook", client.last())
    after = client.get_agent_playbooks(agent_playbook_id=before.agent_playbook_id).agent_playbooks[
        0
    ]
    assert (after.content, after.rationale) == ("Ask whether the fix worked", "closes the case")
    kept = ("trigger", "playbook_name", "playbook_status", "created_at", "playbook_metadata")
    assert {field: getattr(after, field) for field in kept} == {
        field: getattr(before, field) for field in kept
    }


def test_an_update_can_approve(client, stocked):
    row = client.get_agent_playbooks(agent_version=stocked, playbook_name="style").agent_playbooks[
        0
    ]
    client.update_agent_playbook(row.agent_playbook_id, playbook_status=PlaybookStatus.APPROVED)
    assert (
        len(
            contents(
                client.get_agent_playbooks(
                    agent_version=stocked, playbook_status_filter=PlaybookStatus.APPROVED
                )
            )
        )
        == 2
    )


@pytest.mark.parametrize("approval", list(PlaybookStatus))
def test_approval_can_be_set(client, version, approval):
    client.add_agent_playbooks([playbook(version)])
    row = client.get_agent_playbooks(agent_version=version).agent_playbooks[0]
    assert client.update_agent_playbook_status(
        row.agent_playbook_id, playbook_status=approval
    ).success
    same_shape("B.update_agent_playbook_status", client.last())
    assert (
        client.get_agent_playbooks(agent_version=version).agent_playbooks[0].playbook_status
        == approval
    )
