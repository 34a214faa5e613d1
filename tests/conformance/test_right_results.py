"""Results that the public server gets wrong: old matches, edited texts, time filters."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reflexio import AgentPlaybook, PlaybookStatus, UserPlaybook, UserProfile
from reflexio.models.api_schema.retriever_schema import SearchMode

from conversations import now

NEWER = 160
NEEDLE = "Collects antique sextants from Portugal"


def profile(user: str, content: str, age: int = 0, **fields) -> UserProfile:
    defaults = {
        "generated_from_request_id": "r",
        "profile_id": f"{user}-{abs(hash((content, age)))}",
    }
    return UserProfile(
        user_id=user, content=content, last_modified_timestamp=now() - age, **defaults | fields
    )


def texts(rows) -> list[str]:
    return [row.content for row in rows]


def test_an_old_profile_is_found_behind_many_newer_ones(client, user):
    client.add_user_profile(
        [
            profile(user, NEEDLE, 10_000),
            *(profile(user, f"Ordered item {n} from the catalogue", n) for n in range(NEWER)),
        ]
    )
    for mode in (SearchMode.HYBRID, SearchMode.FTS):
        assert (
            texts(
                client.search_user_profiles(
                    user_id=user, query="antique sextants", top_k=5, search_mode=mode
                ).user_profiles
            )[0]
            == NEEDLE
        )
    assert texts(client.search(query="antique sextants", user_id=user).profiles)[0] == NEEDLE


def test_an_old_user_playbook_is_found_behind_many_newer_ones(client, user):
    rows = [(NEEDLE, 10_000), *((f"Mention item {n} of the catalogue", n) for n in range(NEWER))]
    client.add_user_playbook(
        [
            UserPlaybook(
                user_id=user,
                agent_version="v",
                request_id="r",
                content=text,
                created_at=now() - age,
            )
            for text, age in rows
        ]
    )
    assert (
        texts(
            client.search_user_playbooks(
                query="antique sextants", user_id=user, top_k=5
            ).user_playbooks
        )[0]
        == NEEDLE
    )


def test_an_old_agent_playbook_is_found_behind_many_newer_ones(client, name):
    version = name("v")
    rows = [(NEEDLE, 10_000), *((f"Mention item {n} of the catalogue", n) for n in range(NEWER))]
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                agent_version=version,
                content=text,
                created_at=now() - age,
                playbook_status=PlaybookStatus.APPROVED,
            )
            for text, age in rows
        ]
    )
    assert (
        texts(
            client.search_agent_playbooks(
                query="antique sextants", agent_version=version, top_k=5
            ).agent_playbooks
        )[0]
        == NEEDLE
    )


def test_an_old_turn_is_found_behind_many_newer_ones(client, user, name):
    turns = [
        {"content": NEEDLE, "created_at": now() - 10_000},
        *({"content": f"item {n} please", "created_at": now() - n} for n in range(NEWER)),
    ]
    client.publish_interaction(user, turns, session_id=name("s"))
    assert (
        texts(
            client.search_interactions(user_id=user, query="antique sextants", top_k=5).interactions
        )[0]
        == NEEDLE
    )


def test_an_edited_user_playbook_is_found_by_its_new_words_only(client, user):
    client.add_user_playbook(
        [
            UserPlaybook(
                user_id=user,
                agent_version="v",
                request_id="r",
                content="Mention the umbrella",
                trigger="rain",
            )
        ]
    )
    row = client.get_user_playbooks(user_id=user).user_playbooks[0]
    client.update_user_playbook(
        row.user_playbook_id, content="Mention the sunscreen", trigger="heatwave"
    )

    def found(word: str) -> list[str]:
        return texts(
            client.search_user_playbooks(
                query=word, user_id=user, search_mode=SearchMode.FTS
            ).user_playbooks
        )

    assert (found("sunscreen"), found("heatwave")) == (["Mention the sunscreen"],) * 2
    assert (found("umbrella"), found("rain")) == ([], [])


def test_an_edited_agent_playbook_is_found_by_its_new_words_only(client, name):
    version = name("v")
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                agent_version=version,
                content="Mention the umbrella",
                playbook_status=PlaybookStatus.APPROVED,
            )
        ]
    )
    row = client.get_agent_playbooks(agent_version=version).agent_playbooks[0]
    client.update_agent_playbook(row.agent_playbook_id, content="Mention the sunscreen")

    def found(word: str) -> list[str]:
        return texts(
            client.search_agent_playbooks(
                query=word, agent_version=version, search_mode=SearchMode.FTS
            ).agent_playbooks
        )

    assert (found("sunscreen"), found("umbrella")) == (["Mention the sunscreen"], [])


@pytest.fixture
def hourly(client, user, name):
    """Five turns about parcels, one hour apart, the newest one hour old."""
    turns = [
        {"content": f"parcel {hours} hours ago", "created_at": now() - 3600 * hours}
        for hours in range(5, 0, -1)
    ]
    client.publish_interaction(user, turns, session_id=name("s"))
    return user


def ago(hours: float) -> datetime:
    return datetime.fromtimestamp(now() - int(3600 * hours), UTC)


@pytest.mark.parametrize(
    ("limits", "hours"),
    [
        ({"start_time": 2.5}, {2, 1}),
        ({"end_time": 3.5}, {5, 4}),
        ({"start_time": 4.5, "end_time": 1.5}, {4, 3, 2}),
        ({"start_time": 0.5}, set()),
    ],
    ids=["from", "until", "between", "later than all"],
)
def test_search_of_interactions_respects_times(client, hourly, limits, hours):
    times = {key: ago(value) for key, value in limits.items()}
    expected = {f"parcel {hour} hours ago" for hour in hours}
    assert (
        set(texts(client.search_interactions(user_id=hourly, query="parcel", **times).interactions))
        == expected
    )
    assert (
        set(
            texts(
                client.search_interactions(user_id=hourly, most_recent_k=10, **times).interactions
            )
        )
        == expected
    )


@pytest.mark.parametrize("top_k", [1, 3])
def test_search_of_interactions_respects_top_k(client, hourly, top_k):
    assert (
        len(client.search_interactions(user_id=hourly, query="parcel", top_k=top_k).interactions)
        == top_k
    )


def test_deleting_profiles_by_query_deletes_the_matches_and_nothing_else(client, user, name):
    client.add_user_profile(
        [
            profile(user, "Lives in Berlin"),
            profile(user, "Prefers tea"),
            profile(name("other"), "Works in Berlin"),
        ]
    )
    assert client.delete_profile(user, search_query="Berlin", wait_for_response=True).success
    assert texts(client.get_profiles(user_id=user, force_refresh=True).user_profiles) == [
        "Prefers tea"
    ]
    assert texts(client.get_profiles(user_id=name("other")).user_profiles) == ["Works in Berlin"]


def test_deleting_profiles_by_a_query_that_matches_nothing_deletes_nothing(client, api, user):
    client.add_user_profile([profile(user, "Prefers tea")])
    answer = api.delete("/api/delete_profile", {"user_id": user, "search_query": "xylophone"})
    assert answer.status_code in (200, 404), answer.text
    assert texts(client.get_profiles(user_id=user, force_refresh=True).user_profiles) == [
        "Prefers tea"
    ]


def test_profile_search_with_a_query_respects_the_request_it_came_from(client, user):
    client.add_user_profile(
        [
            profile(user, f"Drinks tea {n}", generated_from_request_id=f"request-{n}")
            for n in range(3)
        ]
    )
    found = client.search_user_profiles(
        user_id=user, query="tea", generated_from_request_id="request-1"
    ).user_profiles
    assert texts(found) == ["Drinks tea 1"]


def test_profile_search_filters_custom_features_before_it_limits(client, user):
    plain = [profile(user, f"Drinks tea {n}", n) for n in range(30)]
    client.add_user_profile(
        [
            profile(user, "Drinks tea since school", 10_000, custom_features={"plan": "premium"}),
            *plain,
        ]
    )
    found = client.search_user_profiles(
        user_id=user, query="tea", custom_feature="premium", top_k=3
    ).user_profiles
    assert texts(found) == ["Drinks tea since school"]
