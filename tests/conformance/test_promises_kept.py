"""Promises that the public server breaks: playbook names, one user's upgrade, approval."""

from __future__ import annotations

import threading

import pytest
from reflexio import AgentPlaybook, PlaybookStatus, Status, UserPlaybook, UserProfile

from conversations import now
from expect import same_shape


def profile(user: str, content: str, status: Status | None = None) -> UserProfile:
    return UserProfile(
        profile_id=f"{user}-{content}",
        user_id=user,
        content=content,
        last_modified_timestamp=now(),
        generated_from_request_id="r",
        status=status,
    )


def profiles(client, user: str, status: Status | None = None) -> set[str]:
    return {
        row.content
        for row in client.get_profiles(
            user_id=user, status_filter=[status], force_refresh=True
        ).user_profiles
    }


def rule(user: str, version: str, content: str, **fields) -> UserPlaybook:
    return UserPlaybook(
        user_id=user, agent_version=version, request_id="r", content=content, **fields
    )


def rules(client, version: str, status: Status | None = None) -> set[str]:
    return {
        row.content
        for row in client.get_user_playbooks(
            agent_version=version, status_filter=[status]
        ).user_playbooks
    }


def test_user_playbooks_keep_their_name_and_are_found_by_it(client, user, name):
    client.add_user_playbook(
        [
            rule(user, name("v"), f"about {kind}", playbook_name=kind)
            for kind in ("response_quality", "pain_points")
        ]
    )
    (row,) = client.get_user_playbooks(user_id=user, playbook_name="pain_points").user_playbooks
    assert (row.playbook_name, row.content) == ("pain_points", "about pain_points")
    found = client.search_user_playbooks(
        query="about", user_id=user, playbook_name="response_quality"
    ).user_playbooks
    assert [row.content for row in found] == ["about response_quality"]


def test_agent_playbooks_keep_their_name_and_are_found_by_it(client, name):
    version = name("v")
    client.add_agent_playbooks(
        [
            AgentPlaybook(agent_version=version, content=f"about {kind}", playbook_name=kind)
            for kind in ("tone", "pain_points")
        ]
    )
    (row,) = client.get_agent_playbooks(
        agent_version=version, playbook_name="pain_points"
    ).agent_playbooks
    assert (row.playbook_name, row.content) == ("pain_points", "about pain_points")


def test_upgrading_one_user_leaves_every_other_user_alone(client, name):
    mine, other = name("mine"), name("other")
    for user in (mine, other):
        client.add_user_profile(
            [
                profile(user, "old", Status.ARCHIVED),
                profile(user, "now"),
                profile(user, "next", Status.PENDING),
            ]
        )
    answer = client.upgrade_profiles(user_id=mine)
    assert (answer.profiles_promoted, answer.profiles_archived, answer.profiles_deleted) == (
        1,
        1,
        1,
    )
    assert (
        profiles(client, mine),
        profiles(client, mine, Status.ARCHIVED),
        profiles(client, mine, Status.PENDING),
    ) == ({"next"}, {"now"}, set())
    assert (
        profiles(client, other),
        profiles(client, other, Status.ARCHIVED),
        profiles(client, other, Status.PENDING),
    ) == ({"now"}, {"old"}, {"next"})


def test_upgrading_everyone_leaves_users_without_pending_rows_alone(own_client):
    own_client.add_user_profile(
        [
            profile("a", "now"),
            profile("a", "next", Status.PENDING),
            profile("b", "now"),
            profile("b", "old", Status.ARCHIVED),
        ]
    )
    assert own_client.upgrade_profiles().profiles_promoted == 1
    same_shape("X.upgrade_profiles.all", own_client.last())
    assert profiles(own_client, "a") == {"next"}
    assert (profiles(own_client, "b"), profiles(own_client, "b", Status.ARCHIVED)) == (
        {"now"},
        {"old"},
    )


def test_upgrading_one_playbook_type_leaves_the_others_alone(client, user, name):
    version = name("v")
    client.add_user_playbook(
        [
            rule(user, version, f"{kind} {state}", playbook_name=kind, status=status)
            for kind in ("tone", "refunds")
            for state, status in (("now", None), ("next", Status.PENDING))
        ]
    )
    answer = client.upgrade_user_playbooks(agent_version=version, playbook_name="tone")
    assert (answer.user_playbooks_promoted, answer.user_playbooks_archived) == (1, 1)
    assert rules(client, version) == {"tone next", "refunds now"}
    assert rules(client, version, Status.PENDING) == {"refunds next"}


def test_upgrading_one_agent_version_leaves_the_others_alone(client, user, name):
    for version in (name("v1"), name("v2")):
        client.add_user_playbook(
            [rule(user, version, "now"), rule(user, version, "next", status=Status.PENDING)]
        )
    client.upgrade_user_playbooks(agent_version=name("v1"))
    assert (rules(client, name("v1")), rules(client, name("v2"))) == ({"next"}, {"now"})


def test_a_downgrade_brings_back_what_an_upgrade_replaced_and_nothing_else(client, api, name):
    mine, other = name("mine"), name("other")
    for user in (mine, other):
        client.add_user_profile([profile(user, "now"), profile(user, "next", Status.PENDING)])
        client.upgrade_profiles(user_id=user)
    answer = api.post("/api/downgrade_all_profiles", {"user_id": mine}).json()
    assert (answer["profiles_demoted"], answer["profiles_restored"]) == (1, 1)
    assert (profiles(client, mine), profiles(client, mine, Status.ARCHIVED)) == ({"now"}, {"next"})
    assert (profiles(client, other), profiles(client, other, Status.ARCHIVED)) == (
        {"next"},
        {"now"},
    )


def test_a_downgrade_keeps_to_agent_version_and_playbook_type(client, api, user, name):
    version = name("v")
    client.add_user_playbook(
        [
            rule(user, version, f"{kind} {state}", playbook_name=kind, status=status)
            for kind in ("tone", "refunds")
            for state, status in (("now", None), ("old", Status.ARCHIVED))
        ]
    )
    scope = {"agent_version": version, "playbook_name": "tone"}
    answer = api.post("/api/downgrade_all_user_playbooks", scope).json()
    assert (answer["user_playbooks_demoted"], answer["user_playbooks_restored"]) == (1, 1)
    assert rules(client, version) == {"tone old", "refunds now"}
    assert rules(client, version, Status.ARCHIVED) == {"tone now", "refunds old"}


def test_a_reader_never_sees_a_half_done_upgrade(client, api, user):
    before, after = {f"old {n}" for n in range(50)}, {f"new {n}" for n in range(50)}
    client.add_user_profile(
        [
            *(profile(user, text) for text in before),
            *(profile(user, text, Status.PENDING) for text in after),
        ]
    )
    seen: list[frozenset[str]] = []
    finished = threading.Event()

    def watch() -> None:
        while not finished.is_set():
            rows = api.post("/api/get_profiles", {"user_id": user, "top_k": 1000}).json()[
                "user_profiles"
            ]
            seen.append(frozenset(row["content"] for row in rows))

    reader = threading.Thread(target=watch)
    reader.start()
    try:
        assert client.upgrade_profiles(user_id=user).success
    finally:
        finished.set()
        reader.join()
    assert set(seen) <= {frozenset(before), frozenset(after)}


@pytest.mark.parametrize("spelling", [["None"], [None], ["current"]], ids=str)
@pytest.mark.parametrize("path", ["/api/get_user_playbooks", "/api/search_user_playbooks"])
def test_every_spelling_of_current_means_current_user_playbooks(
    client, api, user, name, path, spelling
):
    client.add_user_playbook(
        [
            rule(user, name("v"), "rule now"),
            rule(user, name("v"), "rule next", status=Status.PENDING),
        ]
    )
    answer = api.post(path, {"user_id": user, "status_filter": spelling, "query": "rule"})
    assert answer.status_code == 200, answer.text
    assert [row["content"] for row in answer.json()["user_playbooks"]] == ["rule now"]


@pytest.mark.parametrize("spelling", [["None"], [None], ["current"]], ids=str)
def test_every_spelling_of_current_means_current_profiles(client, api, user, spelling):
    client.add_user_profile([profile(user, "now"), profile(user, "next", Status.PENDING)])
    answer = api.post("/api/get_profiles", {"user_id": user, "status_filter": spelling})
    assert answer.status_code == 200, answer.text
    assert [row["content"] for row in answer.json()["user_profiles"]] == ["now"]


def test_status_current_of_the_official_client_finds_current_rows(client, user, name):
    client.add_user_playbook(
        [rule(user, name("v"), "now"), rule(user, name("v"), "next", status=Status.PENDING)]
    )
    rows = client.get_user_playbooks(user_id=user, status_filter=[Status.CURRENT]).user_playbooks
    assert [row.content for row in rows] == ["now"]


def test_the_weekly_review_finds_what_awaits_approval(client, name):
    version = name("v")
    approvals = {
        "new rule": PlaybookStatus.PENDING,
        "good rule": PlaybookStatus.APPROVED,
        "bad rule": PlaybookStatus.REJECTED,
    }
    client.add_agent_playbooks(
        [
            AgentPlaybook(agent_version=version, content=text, playbook_status=approval)
            for text, approval in approvals.items()
        ]
    )
    rows = client.get_agent_playbooks(
        agent_version=version, status_filter=[Status.PENDING], limit=50
    ).agent_playbooks
    assert [row.content for row in rows] == ["new rule"]


def test_a_playbook_is_not_served_before_it_is_approved(client, name):
    version = name("v")
    client.add_agent_playbooks(
        [AgentPlaybook(agent_version=version, content="Offer a voucher", trigger="late parcel")]
    )
    assert client.search(query="voucher", agent_version=version).agent_playbooks == []
    row = client.get_agent_playbooks(agent_version=version).agent_playbooks[0]
    client.update_agent_playbook_status(
        row.agent_playbook_id, playbook_status=PlaybookStatus.APPROVED
    )
    assert [
        row.content for row in client.search(query="voucher", agent_version=version).agent_playbooks
    ] == ["Offer a voucher"]
    client.update_agent_playbook_status(
        row.agent_playbook_id, playbook_status=PlaybookStatus.REJECTED
    )
    assert client.search(query="voucher", agent_version=version).agent_playbooks == []
