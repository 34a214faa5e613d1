"""Records survive a server that knows more, or says less, than the SDK."""

from __future__ import annotations

import pytest

import reflexio
from reflexio import (
    GetAgentPlaybooksViewResponse,
    GetRequestsViewResponse,
    InteractionData,
    PublishUserInteractionResponse,
    Status,
    UserActionType,
    UserPlaybook,
    UserProfile,
)


def test_unknown_fields_become_attributes() -> None:
    answer = PublishUserInteractionResponse.model_validate({"success": True, "new_field": 7})
    assert answer.new_field == 7  # type: ignore[attr-defined]


def test_null_means_not_given() -> None:
    row = UserPlaybook.model_validate(
        {"agent_version": "v1", "request_id": "r", "tags": None, "content": None}
    )
    assert row.tags == []
    assert row.content == ""


def test_current_rows_have_no_status() -> None:
    answer = GetAgentPlaybooksViewResponse.model_validate(
        {"success": True, "agent_playbooks": [{"agent_version": "v1", "content": "c"}]}
    )
    row = answer.agent_playbooks[0]
    assert row.status is None
    assert row.playbook_status.value == "pending"


def test_sessions_hold_requests_hold_interactions() -> None:
    answer = GetRequestsViewResponse.model_validate(
        {
            "success": True,
            "sessions": [
                {
                    "session_id": "s",
                    "requests": [
                        {
                            "request": {"request_id": "r", "user_id": "u", "session_id": "s"},
                            "interactions": [
                                {
                                    "interaction_id": 1,
                                    "user_id": "u",
                                    "request_id": "r",
                                    "image_id": "i",
                                    "image_media_type": "image/png",
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    )
    interaction = answer.sessions[0].requests[0].interactions[0]
    assert (interaction.image_id, interaction.image_media_type) == ("i", "image/png")


@pytest.mark.parametrize("word", ["current", "None", None])
def test_every_spelling_of_current_is_known(word: str | None) -> None:
    assert Status(word) is Status.CURRENT


def test_unknown_status_is_an_error() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Status("nonsense")


def test_interaction_data_needs_nothing() -> None:
    empty = InteractionData()
    assert empty.role == "User"
    assert empty.user_action is UserActionType.NONE
    assert empty.created_at > 1_700_000_000


def test_profile_by_hand_needs_user_and_content() -> None:
    profile = UserProfile(user_id="u", content="c")
    assert profile.profile_id.startswith("cli-")
    assert len(profile.profile_id) == 16
    assert profile.expiration_timestamp == 4102444800


def test_everything_promised_is_exported() -> None:
    promised = [
        "InteractionData",
        "UserActionType",
        "Status",
        "PlaybookStatus",
        "Config",
        "PlaybookConfig",
        "PlaybookAggregatorConfig",
        "ProfileExtractorConfig",
        "UserProfile",
        "UserPlaybook",
        "AgentPlaybook",
        "Interaction",
        "Request",
        "ProfileTimeToLive",
        "SearchMode",
        "ToolUsed",
        "Citation",
        "RetrievedLearning",
        "OperationStatus",
        "ReflexioClient",
        "AsyncReflexioClient",
    ]
    for name in promised:
        assert name in reflexio.__all__
        assert hasattr(reflexio, name)
    assert len(set(reflexio.__all__)) == len(reflexio.__all__)
