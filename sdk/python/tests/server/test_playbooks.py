"""User playbooks, agent playbooks and the unified search on the real server."""

from __future__ import annotations

import pytest

from reflexio import (
    AgentPlaybook,
    NotFoundError,
    PlaybookStatus,
    ReflexioClient,
    ReflexioValidationError,
    Status,
    UserPlaybook,
)

pytestmark = pytest.mark.server


def add_user_playbook(client: ReflexioClient, user_id: str, content: str) -> UserPlaybook:
    client.add_user_playbook(
        UserPlaybook(
            user_id=user_id,
            agent_version="v1",
            request_id="by-hand",
            playbook_name="style",
            content=content,
            trigger="a user asks for a summary",
        )
    )
    return client.get_user_playbooks(user_id=user_id).user_playbooks[0]


def add_agent_playbook(client: ReflexioClient, name: str, content: str) -> AgentPlaybook:
    client.add_agent_playbooks(
        AgentPlaybook(agent_version="v1", playbook_name=name, content=content)
    )
    return client.get_agent_playbooks(playbook_name=name).agent_playbooks[0]


def test_user_playbook_lives_and_dies(client: ReflexioClient, user_id: str) -> None:
    row = add_user_playbook(client, user_id, "Answer briefly")
    assert row.user_playbook_id > 0
    assert (row.playbook_name, row.agent_version, row.status) == ("style", "v1", None)
    client.update_user_playbook(row.user_playbook_id, content="Answer very briefly")
    found = client.search_user_playbooks("briefly", user_id=user_id, search_mode="fts")
    assert [hit.content for hit in found.user_playbooks] == ["Answer very briefly"]
    assert found.user_playbooks[0].trigger == "a user asks for a summary"
    answer = client.delete_user_playbook(row.user_playbook_id, wait_for_response=True)
    assert answer is not None
    assert answer.success
    assert client.get_user_playbooks(user_id=user_id).user_playbooks == []


def test_unknown_user_playbook_is_not_found(client: ReflexioClient) -> None:
    with pytest.raises(NotFoundError):
        client.update_user_playbook(999_999_999, content="x")
    with pytest.raises(NotFoundError):
        client.delete_user_playbook(999_999_999, wait_for_response=True)
    assert client.delete_user_playbooks_by_ids([999_999_999]).deleted_count == 0


def test_agent_playbook_is_reviewed(client: ReflexioClient, user_id: str) -> None:
    name = f"review_{user_id}"
    row = add_agent_playbook(client, name, "Confirm that the fix worked")
    assert row.playbook_status is PlaybookStatus.PENDING

    def waiting() -> list[AgentPlaybook]:
        return client.get_agent_playbooks(
            playbook_name=name, status_filter=[Status.PENDING]
        ).agent_playbooks

    assert [waits.agent_playbook_id for waits in waiting()] == [row.agent_playbook_id]
    client.update_agent_playbook_status(row.agent_playbook_id, PlaybookStatus.APPROVED)
    assert waiting() == []
    approved = client.get_agent_playbooks(
        playbook_name=name, playbook_status_filter=PlaybookStatus.APPROVED
    ).agent_playbooks
    assert [hit.agent_playbook_id for hit in approved] == [row.agent_playbook_id]
    answer = client.delete_agent_playbook(row.agent_playbook_id, wait_for_response=True)
    assert answer is not None
    assert answer.success
    assert client.get_agent_playbooks(playbook_name=name).agent_playbooks == []


def test_agent_playbook_is_edited_and_found(client: ReflexioClient, user_id: str) -> None:
    name = f"edit_{user_id}"
    row = add_agent_playbook(client, name, "Say hello")
    client.update_agent_playbook(row.agent_playbook_id, content="Offer a refund politely")
    found = client.search_agent_playbooks(
        "refund", playbook_name=name, playbook_status_filter=PlaybookStatus.PENDING
    )
    assert [hit.content for hit in found.agent_playbooks] == ["Offer a refund politely"]
    assert client.delete_agent_playbooks_by_ids([row.agent_playbook_id]).deleted_count == 1


def test_a_rule_comes_back_from_a_file_as_a_successor_with_its_diff(
    client: ReflexioClient, user_id: str
) -> None:
    row = add_agent_playbook(client, f"files-{user_id}", "Ask for a photo")
    approved = PlaybookStatus.APPROVED
    client.update_agent_playbook_status(row.agent_playbook_id, approved, reason="it works")
    row = client.get_agent_playbooks(agent_playbook_id=row.agent_playbook_id).agent_playbooks[0]
    assert (row.author, row.review_reason) == ("local", "it works")
    rule = {
        "agent_playbook_id": row.agent_playbook_id,
        "exported_hash": row.content_hash,
        "playbook_name": row.playbook_name,
        "agent_version": row.agent_version,
        "playbook_status": "approved",
        "content": "Ask for two photos",
    }
    assert client.import_agent_playbooks([rule], dry_run=True).applied is False
    result = client.import_agent_playbooks([rule]).results[0]
    assert (result.action, client.import_agent_playbooks([rule]).applied) == ("proposed", False)
    assert result.agent_playbook_id is not None
    diff = client.get_agent_playbook_diff(result.agent_playbook_id)
    parts = [(part.op, part.text) for part in diff.fields[0].parts]
    assert parts == [("same", "Ask for "), ("removed", "a photo"), ("added", "two photos")]
    told = client.get_agent_playbook_history(row.agent_playbook_id).events
    assert [(event.action, event.reason) for event in told] == [
        ("added", None),
        ("approved", "it works"),
    ]


def test_unknown_agent_playbook_is_not_found(client: ReflexioClient) -> None:
    with pytest.raises(NotFoundError):
        client.update_agent_playbook(999_999_999, content="x")
    with pytest.raises(NotFoundError):
        client.update_agent_playbook_status(999_999_999, "approved")
    with pytest.raises(NotFoundError):
        client.delete_agent_playbook(999_999_999, wait_for_response=True)


def test_invalid_playbook_is_explained(client: ReflexioClient) -> None:
    with pytest.raises(ReflexioValidationError, match="agent_version"):
        client.add_agent_playbooks([{"content": "no version"}])
    with pytest.raises(ReflexioValidationError, match="playbook_status"):
        client.update_agent_playbook_status(1, "perhaps")


def test_unified_search_finds_every_kind(client: ReflexioClient, user_id: str) -> None:
    word = f"zebra{user_id[-6:]}"
    client.add_user_profile([{"user_id": user_id, "content": f"Owns a {word}"}])
    add_user_playbook(client, user_id, f"Ask about the {word}")
    row = add_agent_playbook(client, f"search_{user_id}", f"Feed the {word}")
    client.update_agent_playbook_status(row.agent_playbook_id, PlaybookStatus.APPROVED)
    found = client.search(word, user_id=user_id)
    assert [profile.content for profile in found.profiles] == [f"Owns a {word}"]
    assert [playbook.content for playbook in found.user_playbooks] == [f"Ask about the {word}"]
    assert [playbook.content for playbook in found.agent_playbooks] == [f"Feed the {word}"]
    only = client.search(word, user_id=user_id, entity_types=["profiles"])
    assert (len(only.profiles), only.user_playbooks, only.agent_playbooks) == (1, [], [])
