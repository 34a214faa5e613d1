"""Profiles on the real server."""

from __future__ import annotations

import pytest
from raw_api import RawApi

from reflexio import NotFoundError, ProfileTimeToLive, ReflexioClient, Status, UserProfile

pytestmark = pytest.mark.server


def test_profiles_are_added_found_and_deleted(client: ReflexioClient, user_id: str) -> None:
    added = client.add_user_profile(
        [
            {"user_id": user_id, "content": "Prefers vegetarian food"},
            UserProfile(
                user_id=user_id,
                content="Lives in Berlin",
                profile_time_to_live=ProfileTimeToLive.ONE_YEAR,
                source="chat",
                tags=["home"],
            ),
        ]
    )
    assert added.added_count == 2
    found = client.search_user_profiles(user_id, "vegetarian", search_mode="fts").user_profiles
    assert [profile.content for profile in found] == ["Prefers vegetarian food"]
    assert found[0].source == "cli-manual"
    (berlin,) = client.get_profiles(user_id, source="chat").user_profiles
    assert berlin.profile_time_to_live is ProfileTimeToLive.ONE_YEAR
    assert berlin.tags == ["home"]
    assert berlin.status is None

    answer = client.delete_profile(user_id, berlin.profile_id, wait_for_response=True)
    assert answer is not None
    assert answer.success
    left = client.get_profiles(user_id).user_profiles
    assert [profile.content for profile in left] == ["Prefers vegetarian food"]
    assert client.delete_profiles_by_ids([left[0].profile_id]).deleted_count == 1
    assert client.get_profiles(user_id).user_profiles == []


def test_status_filter_knows_every_spelling(client: ReflexioClient, user_id: str) -> None:
    client.add_user_profile(
        [
            UserProfile(user_id=user_id, content="in use"),
            UserProfile(user_id=user_id, content="waiting", status=Status.PENDING),
        ]
    )
    for current in ([None], [Status.CURRENT], ["current"], ["None"], None):
        rows = client.get_profiles(user_id, status_filter=current).user_profiles
        assert [row.content for row in rows] == ["in use"]
    (pending,) = client.get_profiles(user_id, status_filter=[Status.PENDING]).user_profiles
    assert (pending.content, pending.status) == ("waiting", Status.PENDING)
    everything = client.get_all_profiles(user_id=user_id, status_filter=Status.PENDING)
    assert [row.content for row in everything.user_profiles] == ["waiting"]


def test_unknown_profile_cannot_be_deleted(client: ReflexioClient, user_id: str) -> None:
    with pytest.raises(NotFoundError):
        client.delete_profile(user_id, "no-such-profile", wait_for_response=True)


def test_upgrade_touches_only_the_given_user(
    client: ReflexioClient, raw: RawApi, user_id: str
) -> None:
    users = (user_id, f"other_{user_id}")
    client.add_user_profile(
        [
            UserProfile(user_id=user, content=content, status=status)
            for user in users
            for content, status in [("old", None), ("new", Status.PENDING)]
        ]
    )
    answer = client.upgrade_profiles(user_id=user_id)
    assert (answer.profiles_promoted, answer.profiles_archived) == (1, 1)
    assert [row["content"] for row in raw.profiles(users[0])] == ["new"]
    assert [row["content"] for row in raw.profiles(users[1])] == ["old"]
    back = client.downgrade_profiles(user_id=user_id)
    assert (back.profiles_restored, back.profiles_demoted) == (1, 1)
    assert [row["content"] for row in raw.profiles(users[0])] == ["old"]


def test_change_log_and_statistics_mention_new_profiles(
    client: ReflexioClient, user_id: str
) -> None:
    client.add_user_profile([{"user_id": user_id, "content": "Likes tea"}])
    logs = client.get_profile_change_log().profile_change_logs
    mine = [log for log in logs if log.user_id == user_id]
    assert [profile.content for log in mine for profile in log.added_profiles] == ["Likes tea"]
    stats = client.storage_stats(user_id=user_id)
    assert stats.profile_count == 1
    assert stats.newest_profile_modified is not None
