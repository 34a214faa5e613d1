"""Seed 003, "Operations": every code block, executed as written.

Aggregation is a later part of the server. Until then the server says so, and the test accepts that
answer beside a successful one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_api import RawApi

from reflexio import (
    MarkNotifiedResponse,
    OperationFailedError,
    ReflexioClient,
    RerunPlaybookGenerationResponse,
    RerunProfileGenerationResponse,
    RunPlaybookAggregationResponse,
    Status,
    UserPlaybook,
    UserProfile,
)
from seeds.document import Document, Ran

pytestmark = pytest.mark.server

NOT_YET = "is not there yet"
STATUSES = {"current": None, "pending": Status.PENDING, "archived": Status.ARCHIVED}


@pytest.fixture(scope="module")
def document(document_url: str) -> Iterator[Document]:
    """The document with its prelude: a client, and a user with something to operate on.

    The learned rows stand in for what generation produces, see ``learned_rows.py``.
    """
    with ReflexioClient() as client:
        allow_manual_runs(client)
        client.publish_interaction(
            user_id="user_123",
            interactions=[
                {"role": "User", "content": "Please answer in French"},
                {"role": "Agent", "content": "Bien sûr"},
            ],
            source="chat",
            agent_version="v2.1.0",
        )
        client.add_user_profile(
            [
                UserProfile(user_id=user, content=f"{word} profile", status=status)
                for user in ("user_123", "bystander")
                for word, status in STATUSES.items()
            ]
        )
        client.add_user_playbook(
            [
                UserPlaybook(
                    user_id="user_123",
                    agent_version=version,
                    request_id="r1",
                    playbook_name="response_quality",
                    content=f"{word} playbook",
                    status=status,
                )
                for version in ("v2.1.0", "v2.0.0")
                for word, status in STATUSES.items()
            ]
        )
        yield Document(Path(__file__).with_name("seed_003"), {"client": client})


def allow_manual_runs(client: ReflexioClient) -> None:
    """What the document names as a prerequisite of its manual runs."""
    config = client.get_config()
    assert config.profile_extractor_config is not None
    config.profile_extractor_config.allow_manual_trigger = True
    for playbook in config.playbook_configs:
        playbook.allow_manual_trigger = True
    client.set_config(config)


def assert_done_or_not_yet(success: bool, message: str | None) -> None:
    assert success or NOT_YET in str(message)


def assert_delivered(document: Document, ran: Ran, calls: int) -> None:
    """Every call returned None at once and reached the server."""
    assert ran.values == [None] * calls
    refusal = background_refusal(document.names["client"])
    assert refusal is None or NOT_YET in str(refusal)


def background_refusal(client: ReflexioClient) -> OperationFailedError | None:
    try:
        client.flush()
    except OperationFailedError as refusal:
        return refusal
    return None


def test_01_rerun_profile_generation(document: Document) -> None:
    document.run("01_rerun_profile_generation")
    response = document.names["response"]
    assert isinstance(response, RerunProfileGenerationResponse)
    assert_done_or_not_yet(response.success, response.msg)


def test_02_manual_profile_generation(document: Document) -> None:
    assert_delivered(document, document.run("02_manual_profile_generation"), calls=1)


def test_03_manual_profile_generation_examples(document: Document) -> None:
    assert_delivered(document, document.run("03_manual_profile_generation_examples"), calls=3)


def test_04_rerun_playbook_generation(document: Document) -> None:
    document.run("04_rerun_playbook_generation")
    response = document.names["response"]
    assert isinstance(response, RerunPlaybookGenerationResponse)
    assert_done_or_not_yet(response.success, response.msg)


def test_05_manual_playbook_generation(document: Document) -> None:
    assert_delivered(document, document.run("05_manual_playbook_generation"), calls=1)


def test_06_manual_playbook_generation_examples(document: Document) -> None:
    assert_delivered(document, document.run("06_manual_playbook_generation_examples"), calls=3)


def test_07_upgrade_profiles(document: Document, raw: RawApi) -> None:
    pending = raw.profiles("user_123", status_filter=["pending"])
    current = raw.profiles("user_123", status_filter=[None])
    document.run("07_upgrade_profiles")
    response = document.names["response"]
    assert response.success
    assert response.profiles_promoted == len(pending) > 0
    assert response.profiles_archived == len(current) > 0
    assert response.profiles_deleted == 1
    now = {row["profile_id"] for row in raw.profiles("user_123", status_filter=[None])}
    assert now == {row["profile_id"] for row in pending}
    archived = raw.profiles("user_123", status_filter=["archived"])
    assert {row["profile_id"] for row in archived} == {row["profile_id"] for row in current}
    bystander = raw.profiles("bystander", status_filter=["pending"])
    assert [row["content"] for row in bystander] == ["pending profile"]


def test_08_upgrade_user_playbooks(document: Document, raw: RawApi) -> None:
    def rows(version: str, status: str | None) -> set[int]:
        found = raw.user_playbooks(agent_version=version, status_filter=[status])
        return {row["user_playbook_id"] for row in found}

    pending, current = rows("v2.1.0", "pending"), rows("v2.1.0", None)
    document.run("08_upgrade_user_playbooks")
    response = document.names["response"]
    assert response.success
    assert response.user_playbooks_promoted == len(pending) > 0
    assert response.user_playbooks_archived == len(current) > 0
    assert response.user_playbooks_deleted == 1
    assert rows("v2.1.0", None) == pending
    assert rows("v2.1.0", "archived") == current
    assert len(rows("v2.0.0", "pending")) == 1


def test_09_run_playbook_aggregation(document: Document) -> None:
    document.run("09_run_playbook_aggregation")
    response = document.names["response"]
    assert isinstance(response, RunPlaybookAggregationResponse)
    assert_done_or_not_yet(response.success, response.message)


def test_10_clear_user_data(document: Document, raw: RawApi) -> None:
    agent_playbooks = raw.agent_playbooks()
    stdout = document.run("10_clear_user_data").stdout
    response = document.names["response"]
    assert response.success
    assert stdout == f"{response.deleted_counts}\n"
    assert response.deleted_counts["interactions"] == 2
    assert response.deleted_counts["requests"] == 1
    assert raw.interactions("user_123") == []
    assert raw.requests(user_id="user_123") == []
    assert raw.profiles("user_123", status_filter=[None, "pending", "archived"]) == []
    assert raw.user_playbooks(user_id="user_123") == []
    assert raw.agent_playbooks() == agent_playbooks
    assert len(raw.profiles("bystander")) == 1


def test_11_get_stall_state(document: Document) -> None:
    stdout = document.run("11_get_stall_state").stdout
    assert document.names["state"].stalled is False
    assert stdout == ""


def test_12_mark_stall_notified(document: Document) -> None:
    document.run("12_mark_stall_notified")
    result = document.names["result"]
    assert isinstance(result, MarkNotifiedResponse)
    assert result == document.names["client"].mark_stall_notified()
