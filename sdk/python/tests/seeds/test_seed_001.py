"""Seed 001, "Understanding Interactions": every code block, executed as written.

Blocks that only build a value are followed up: what they built is published and read back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from images import jpeg, png
from raw_api import RawApi

from reflexio import InteractionData, ReflexioClient, UserActionType
from seeds.document import Document

pytestmark = pytest.mark.server

BATCHES = [
    {"user_id": f"batch_user_{number}", "interactions": [{"content": f"batch {number}"}]}
    for number in range(3)
]


@pytest.fixture(scope="module")
def document(document_url: str, working_folder: Path) -> Iterator[Document]:
    """The document with its prelude: what it uses and never defines.

    It reads two images from the current directory and searches for a user who already has a
    conversation and profiles.
    """
    (working_folder / "design_mockup.png").write_bytes(png())
    (working_folder / "product_issue_photo.jpg").write_bytes(jpeg())
    with ReflexioClient() as client:
        client.publish_interaction(
            user_id="user_123",
            interactions=[{"content": "My product preferences are light laptops"}],
            source="chat",
        )
        client.add_user_profile(
            [
                {
                    "user_id": "user_123",
                    "content": "Has technical issues with the printer",
                    "source": "support_ticket",
                },
                {
                    "user_id": "user_123",
                    "content": "Has technical issues with the phone",
                    "source": "chat",
                },
            ]
        )
        prelude = {
            "InteractionData": InteractionData,
            "UserActionType": UserActionType,
            "client": client,
            "initial_message": InteractionData(content="My order has not arrived"),
            "followup_messages": [
                InteractionData(role="Agent", content="Which order is it?"),
                InteractionData(content="Order #12345"),
            ],
            "user_id": "user_456",
            "timestamp": 1734220800,
            "user_actions": [
                InteractionData(user_action=UserActionType.CLICK, user_action_description="cart"),
                InteractionData(user_action=UserActionType.SCROLL, user_action_description="page"),
            ],
            "interaction_batches": BATCHES,
            "initial_problem": {"role": "User", "content": "The app crashes"},
            "agent_response": {"role": "Agent", "content": "On which page?"},
            "user_clarification": {"role": "User", "content": "On the login page"},
        }
        yield Document(Path(__file__).with_name("seed_001"), prelude)


def published(
    document: Document, raw: RawApi, user_id: str, interactions: Any
) -> list[dict[str, Any]]:
    """The rows the server stores for the given interactions."""
    answer = document.names["client"].publish_interaction(user_id, interactions)
    assert answer.success
    assert answer.warnings == []
    return raw.interactions(user_id)


def test_01_core_content(document: Document, raw: RawApi) -> None:
    (built,) = document.run("01_core_content").values
    (row,) = published(document, raw, "seed_01", built)
    assert row["role"] == "User"
    assert row["content"] == "I'm looking for a gaming laptop under $2000"
    assert row["user_action"] == "none"


def test_02_conversational_interactions(document: Document, raw: RawApi) -> None:
    document.run("02_conversational_interactions")
    rows = published(document, raw, "seed_02", document.names["conversation"])
    assert [row["role"] for row in rows] == ["User", "Agent", "User"]
    assert rows[2]["content"] == "It's order #12345. I paid for expedited shipping."


def test_03_action_based_interactions(document: Document, raw: RawApi) -> None:
    document.run("03_action_based_interactions")
    rows = published(document, raw, "seed_03", document.names["shopping_actions"])
    assert [row["user_action"] for row in rows] == ["click", "scroll", "click"]
    assert rows[0]["user_action_description"] == "clicked 'Gaming Laptops' category"
    assert rows[0]["interacted_image_url"] == "https://store.example.com/gaming-laptops"
    assert rows[2]["content"] == "Interested in this model for streaming"


def test_04_visual_interactions(document: Document, raw: RawApi) -> None:
    document.run("04_visual_interactions")
    (row,) = published(document, raw, "seed_04", document.names["visual_feedback"])
    assert row["image_media_type"] == "image/png"
    assert document.names["client"].get_image(row["image_id"]) == png()


def test_05_shadow_content(document: Document, raw: RawApi) -> None:
    document.run("05_shadow_content")
    _, answer = published(document, raw, "seed_05", document.names["shadow_test_interaction"])
    assert answer["content"] == "I can help with that. Please provide your order number."
    assert "wireless headphones" in answer["shadow_content"]


def test_06_expert_content(document: Document, raw: RawApi) -> None:
    document.run("06_expert_content")
    rows = published(document, raw, "seed_06", document.names["expert_reviewed_interaction"])
    assert rows[0]["expert_content"] == ""
    assert rows[1]["expert_content"].startswith("Electronics can be returned within 30 days")
    assert rows[1]["expert_content"].endswith("within 5-7 business days.")


def publish_from_each(document: Document, raw: RawApi, user_id: str, sources: list[str]) -> None:
    for source in sources:
        document.names["client"].publish_interaction(user_id, [{"content": "x"}], source=source)
    stored = raw.requests(user_id=user_id)
    assert sorted(entry["request"]["source"] for entry in stored) == sorted(sources)


def test_07_source_categories(document: Document, raw: RawApi) -> None:
    document.run("07_source_categories")
    assert len(document.names["sources"]) == 8
    publish_from_each(document, raw, "seed_07", list(document.names["sources"]))


def test_08_source_based_analysis(document: Document) -> None:
    document.run("08_source_based_analysis")
    found = document.names["chat_interactions"].interactions
    assert found[0].content == "My product preferences are light laptops"
    profiles = document.names["support_profiles"].user_profiles
    assert [profile.content for profile in profiles] == ["Has technical issues with the printer"]


def test_09_conversation_threading(document: Document, raw: RawApi) -> None:
    first, followup = document.run("09_conversation_threading").values
    stored = {
        entry["request"]["request_id"]: [turn["content"] for turn in entry["interactions"]]
        for entry in raw.requests(session_id="support_conversation_20241215")
    }
    assert stored[first.request_id] == ["My order has not arrived"]
    assert sorted(stored[followup.request_id]) == ["Order #12345", "Which order is it?"]


def test_10_session_tracking(document: Document, raw: RawApi) -> None:
    document.run("10_session_tracking")
    stored = raw.requests(session_id="shopping_session_user_456_1734220800")
    assert len(stored) == 2
    assert {entry["request"]["source"] for entry in stored} == {"ecommerce"}
    assert [row["user_action"] for row in raw.interactions("user_456")] == ["click", "scroll"]


def test_11_feature_based_organization(document: Document, raw: RawApi) -> None:
    document.run("11_feature_based_organization")
    words = {"user_id": "u", "session_id": "s", "ticket_id": "t", "feature": "f", "date": "d"}
    client = document.names["client"]
    for pattern in document.names["request_patterns"].values():
        session = pattern.format(**words)
        client.publish_interaction("seed_11", [{"content": "x"}], session_id=session)
        assert len(raw.requests(session_id=session)) == 1


def test_12_rich_context(document: Document, raw: RawApi) -> None:
    rich, minimal = document.run("12_rich_context").values
    first, second = published(document, raw, "seed_12", [rich, minimal])
    assert first["user_action"] == "click"
    assert first["user_action_description"] == "clicked 'High Performance Laptops' filter"
    assert (second["role"], second["content"]) == ("User", "need laptop")


def test_13_role_identification(document: Document, raw: RawApi) -> None:
    document.run("13_role_identification")
    roles = list(document.names["roles"])
    assert len(roles) == 5
    rows = published(document, raw, "seed_13", [{"role": role, "content": role} for role in roles])
    assert [row["role"] for row in rows] == roles


def test_14_source_strategy(document: Document, raw: RawApi) -> None:
    document.run("14_source_strategy")
    groups = document.names["source_strategy"].values()
    publish_from_each(document, raw, "seed_14", [name for group in groups for name in group])


def test_15_structured_action_descriptions(document: Document, raw: RawApi) -> None:
    (example,) = document.run("15_structured_action_descriptions").values
    words = {"direction": "down", "page_section": "results", "duration": "5s"}
    scrolled = InteractionData(
        user_action=UserActionType.SCROLL,
        user_action_description=document.names["action_templates"]["scroll"].format(**words),
    )
    first, second = published(document, raw, "seed_15", [example, scrolled])
    assert first["user_action_description"].startswith("clicked 'Add to Cart' button")
    assert second["user_action_description"] == "scrolled down in results for 5s"


def test_16_multi_modal_interactions(document: Document, raw: RawApi) -> None:
    document.run("16_multi_modal_interactions")
    photo, click = published(document, raw, "seed_16", document.names["product_feedback"])
    assert photo["image_media_type"] == "image/jpeg"
    assert document.names["client"].get_image(photo["image_id"]) == jpeg()
    assert "image_id" not in click
    assert click["user_action"] == "click"


def test_17_batch_processing(document: Document, raw: RawApi) -> None:
    document.run("17_batch_processing")
    results = document.names["batch_results"]
    assert [result.success for result in results] == [True, True, True]
    assert len({result.request_id for result in results}) == 3
    for number in range(3):
        (row,) = raw.interactions(f"batch_user_{number}")
        assert row["content"] == f"batch {number}"


def test_18_interaction_chains(document: Document, raw: RawApi) -> None:
    answers = document.run("18_interaction_chains").values
    assert all(answer.success for answer in answers)
    assert document.names["support_chain"].interaction_count == 3
    stored = raw.requests(session_id="technical_support_user_123")
    contents = {turn["content"] for entry in stored for turn in entry["interactions"]}
    assert contents == {"The app crashes", "On which page?", "On the login page"}
    assert {entry["request"]["source"] for entry in stored} == {"support"}
