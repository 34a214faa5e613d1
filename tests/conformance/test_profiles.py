"""Adding, reading and searching profiles; statistics, change log and upgrade."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reflexio import ProfileTimeToLive, Status, UserProfile

from conversations import now
from expect import same_shape

FOOD, CITY = "Prefers vegetarian food", "Lives in Berlin near the river"


@pytest.fixture
def profiled(client, user):
    """A user with two current profiles; the food one is the newer."""
    rows = [
        {"user_id": user, "content": CITY, "last_modified_timestamp": now() - 60},
        {"user_id": user, "content": FOOD},
    ]
    assert client.add_user_profile(rows).added_count == 2
    return user


def contents(answer) -> list[str]:
    return [row.content for row in answer.user_profiles]


def full_profile(user: str, profile_id: str, **fields) -> UserProfile:
    defaults = {
        "content": FOOD,
        "last_modified_timestamp": now(),
        "generated_from_request_id": "r-1",
        "source": "manual",
    }
    return UserProfile(profile_id=profile_id, user_id=user, **defaults | fields)


def test_added_profiles_are_counted(client, user):
    answer = client.add_user_profile(
        [{"user_id": user, "content": FOOD}, {"user_id": user, "content": CITY}]
    )
    assert (answer.success, answer.added_count) == (True, 2)
    same_shape("B.add_user_profile", client.last())


def test_profile_fields_survive(client, user, name):
    sent = full_profile(
        user,
        name("p"),
        profile_time_to_live=ProfileTimeToLive.ONE_YEAR,
        expiration_timestamp=now() + 1000,
        custom_features={"plan": "pro", "seats": 3},
        source="import",
        extractor_names=["basics"],
        source_interaction_ids=[4, 5],
        source_span="vegetarian, please",
        tags=["diet", "food"],
    )
    client.add_user_profile([sent])
    (row,) = client.get_profiles(user_id=user).user_profiles
    kept = (
        "profile_id",
        "content",
        "last_modified_timestamp",
        "generated_from_request_id",
        "profile_time_to_live",
        "expiration_timestamp",
        "custom_features",
        "source",
        "extractor_names",
        "source_interaction_ids",
        "source_span",
        "tags",
    )
    assert {field: getattr(row, field) for field in kept} == {
        field: getattr(sent, field) for field in kept
    }


def test_profiles_come_latest_change_first(client, profiled):
    assert contents(client.get_profiles(user_id=profiled)) == [FOOD, CITY]
    same_shape("B.get_profiles.ub", client.last())


def test_profiles_can_be_filtered(client, profiled, name):
    client.add_user_profile(
        [full_profile(profiled, name("p"), content="Plays chess", source="import", tags=["hobby"])]
    )
    assert contents(client.get_profiles(user_id=profiled, profile_id=name("p"))) == ["Plays chess"]
    assert contents(client.get_profiles(user_id=profiled, source="import")) == ["Plays chess"]
    assert contents(client.get_profiles(user_id=profiled, tags=["hobby"])) == ["Plays chess"]
    assert len(contents(client.get_profiles(user_id=profiled, top_k=1))) == 1
    assert contents(
        client.get_profiles(user_id=profiled, end_time=datetime.fromtimestamp(now() - 30, UTC))
    ) == [CITY]


@pytest.mark.parametrize("status", [Status.PENDING, Status.ARCHIVED])
def test_profiles_of_another_status_are_only_shown_when_asked_for(client, profiled, name, status):
    client.add_user_profile(
        [full_profile(profiled, name("p"), content="Plays chess", status=status)]
    )
    assert contents(client.get_profiles(user_id=profiled)) == [FOOD, CITY]
    assert contents(client.get_profiles(user_id=profiled, status_filter=[status])) == [
        "Plays chess"
    ]
    assert client.last()["user_profiles"][0]["status"] == status.value
    same_shape("A.get_profiles.archived", client.last())


def test_current_profiles_carry_no_status(client, profiled):
    client.get_profiles(user_id=profiled, status_filter=[None])
    assert len(client.last()["user_profiles"]) == 2
    assert not any("status" in row for row in client.last()["user_profiles"])
    same_shape("B.get_profiles.ub", client.last())


def test_all_profiles_can_be_limited_and_filtered(client, profiled):
    assert len(client.get_all_profiles(limit=1).user_profiles) == 1
    assert contents(client.get_all_profiles(user_id=profiled, status_filter="current")) == [
        FOOD,
        CITY,
    ]
    same_shape("B.get_all_profiles.user", client.last())
    assert client.get_all_profiles(user_id=profiled, status_filter="pending").user_profiles == []
    assert contents(client.get_all_profiles(user_id=profiled, query="Berlin")) == [CITY]
    assert contents(client.get_all_profiles(user_id=profiled, end_time=now() - 30)) == [CITY]


def test_search_finds_the_matching_profile(client, profiled):
    assert contents(client.search_user_profiles(user_id=profiled, query="vegetarian"))[0] == FOOD
    same_shape("A.search_user_profiles", client.last())


def test_the_deprecated_search_still_works(client, profiled):
    with pytest.warns(DeprecationWarning, match="search_user_profiles"):
        answer = client.search_profiles(user_id=profiled, query="Berlin", source="cli-manual")
    assert contents(answer)[0] == CITY
    same_shape("A.search_profiles.source", client.last())
    with pytest.warns(DeprecationWarning, match="search_user_profiles"):
        assert (
            contents(client.search_profiles(user_id=profiled, query="Berlin", source="other")) == []
        )
    same_shape("A.search_profiles.other_source", client.last())


def test_storage_stats_count_the_users_rows(client, profiled):
    row = {"agent_version": "v3", "content": "Be brief"}
    client.add_user_playbook([row | {"user_id": profiled, "request_id": "r"}])
    client.add_agent_playbooks([row])  # belongs to no user
    stats = client.storage_stats(profiled)
    assert (stats.success, stats.profile_count, stats.playbook_count) == (True, 2, 1)
    assert stats.oldest_profile_modified < stats.newest_profile_modified
    same_shape("B.storage_stats", client.last())


def test_change_log_shows_added_profiles(client, profiled):
    logs = [
        log
        for log in client.get_profile_change_log().profile_change_logs
        if log.user_id == profiled
    ]
    assert {row.content for log in logs for row in log.added_profiles} == {FOOD, CITY}
    shown = {
        "success": True,
        "profile_change_logs": [
            log for log in client.last()["profile_change_logs"] if log["user_id"] == profiled
        ],
    }
    same_shape("B.get_profile_change_log", shown)


def test_upgrade_promotes_pending_and_archives_current(client, profiled, name):
    client.add_user_profile(
        [full_profile(profiled, name("p"), content="Likes spicy food", status=Status.PENDING)]
    )
    answer = client.upgrade_profiles(user_id=profiled)
    assert (answer.success, answer.profiles_promoted, answer.profiles_archived) == (True, 1, 2)
    same_shape("A.upgrade_profiles", client.last())
    assert contents(client.get_profiles(user_id=profiled, force_refresh=True)) == [
        "Likes spicy food"
    ]
    assert sorted(
        contents(client.get_profiles(user_id=profiled, status_filter=[Status.ARCHIVED]))
    ) == sorted([FOOD, CITY])


def test_upgrade_without_pending_rows_says_so_and_changes_nothing(client, profiled):
    answer = client.upgrade_profiles(user_id=profiled)
    assert (answer.success, answer.profiles_promoted, answer.profiles_archived) == (False, 0, 0)
    same_shape("X.upgrade_profiles.nothing_pending", client.last())
    assert len(client.get_profiles(user_id=profiled).user_profiles) == 2
