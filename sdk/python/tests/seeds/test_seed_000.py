"""Seed 000, "Collecting & Using Agent Playbooks": every code block, executed as written."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from raw_api import RawApi

from reflexio import PlaybookStatus, PublishUserInteractionResponse, ReflexioClient, Status
from seeds.document import Document
from seeds.learned_rows import DAY, add_learned_rows

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def document(document_url: str) -> Document:
    """The document with its prelude.

    Two names are used but never imported by the document: ``Status`` and ``PlaybookStatus``.
    """
    with ReflexioClient() as client:
        add_learned_rows(client)
    prelude = {"Status": Status, "PlaybookStatus": PlaybookStatus}
    return Document(Path(__file__).with_name("seed_000"), prelude)


def count(rows: list[dict[str, Any]], key: str) -> Counter[str]:
    return Counter(str(row[key]) for row in rows)


def test_01_setup(document: Document, document_url: str) -> None:
    document.run("01_setup")
    assert document.names["client"].base_url == document_url
    assert document.names["client"].whoami().success


def test_02_basic_playbook_configuration(document: Document, raw: RawApi) -> None:
    document.run("02_basic_playbook_configuration")
    (stored,) = raw.config()["playbook_configs"]
    assert stored["playbook_name"] == "customer_satisfaction"
    assert "Signs of confusion or repeated questions" in stored["playbook_definition_prompt"]


def test_03_multiple_playbook_types(document: Document, raw: RawApi) -> None:
    document.run("03_multiple_playbook_types")
    assert raw.playbook_names() == ["response_quality", "task_completion", "user_sentiment"]
    stored = raw.config()["playbook_configs"]
    assert "quality_score: 1-5 rating" in stored[0]["metadata_definition_prompt"]
    read_back = document.names["client"].get_config().playbook_configs
    assert [entry.playbook_name for entry in read_back] == raw.playbook_names()


def test_04_playbook_aggregation(document: Document, raw: RawApi) -> None:
    document.run("04_playbook_aggregation")
    (stored,) = raw.config()["playbook_configs"]
    assert stored["playbook_name"] == "pain_points"
    aggregator = stored["playbook_aggregator_config"]
    assert aggregator["min_cluster_size"] == 5
    assert aggregator["reaggregation_trigger_count"] == 10


def test_05_publish_interactions(document: Document, raw: RawApi) -> None:
    document.run("05_publish_interactions")
    response = document.names["response"]
    assert isinstance(response, PublishUserInteractionResponse)
    assert response.success
    (stored,) = raw.requests(request_id=response.request_id)
    assert stored["request"]["agent_version"] == "v2.1.0"
    assert stored["request"]["source"] == "support_chat"
    assert stored["request"]["session_id"] == response.request_id
    turns = sorted(stored["interactions"], key=lambda row: int(row["interaction_id"]))
    assert [turn["role"] for turn in turns] == ["User", "Agent", "User"]
    assert turns[2]["content"] == "Perfect, that worked! Thanks!"


def test_06_multi_turn_conversation(document: Document, raw: RawApi) -> None:
    document.run("06_multi_turn_conversation")
    (stored,) = raw.requests(session_id="order_issues_batch_001")
    assert stored["request"]["user_id"] == "customer_456"
    sent = [turn["content"] for turn in document.names["conversation"]]
    assert [turn["content"] for turn in raw.interactions("customer_456")] == sent
    assert len(sent) == 7


def test_07_expert_reviewed_interactions(document: Document, raw: RawApi) -> None:
    document.run("07_expert_reviewed_interactions")
    question, answer = raw.interactions("user_789")
    assert question["expert_content"] == ""
    assert answer["content"] == "Go to Settings and click Reset Password."
    assert answer["expert_content"].startswith("To reset your password: 1) Go to Settings")
    assert answer["expert_content"].endswith("on the login page instead.")


def test_08_get_all_user_playbooks(document: Document, raw: RawApi) -> None:
    stdout = document.run("08_get_all_user_playbooks").stdout
    rows = raw.user_playbooks(limit=100)
    assert f"Total user playbooks: {len(rows)}" in stdout
    for row in rows:
        assert f"Playbook ID: {row['user_playbook_id']}\n" in stdout
        assert f"Request ID: {row['request_id']}\n" in stdout
        assert f"Content: {row['content']}\n" in stdout


def test_09_filter_user_playbooks_by_name(document: Document, raw: RawApi) -> None:
    stdout = document.run("09_filter_user_playbooks_by_name").stdout
    rows = raw.user_playbooks(playbook_name="response_quality")
    assert len(rows) >= 12
    assert f"Found {len(rows)} response quality playbook entries" in stdout
    assert f"Content: {rows[0]['content'][:200]}..." in stdout
    assert "pain_points" not in stdout


def test_10_filter_by_status(document: Document, raw: RawApi) -> None:
    stdout = document.run("10_filter_by_status").stdout
    current = raw.user_playbooks(status_filter=[None], limit=50)
    assert f"Current: {len(current)}\nPending: 2\nArchived: 1\n" in stdout
    assert len(current) >= 18
    names = document.names
    assert {row.status for row in names["current_playbooks"].user_playbooks} == {None}
    assert {row.status for row in names["pending_playbooks"].user_playbooks} == {Status.PENDING}
    assert {row.status for row in names["archived_playbooks"].user_playbooks} == {Status.ARCHIVED}


def test_11_get_all_agent_playbooks(document: Document, raw: RawApi) -> None:
    stdout = document.run("11_get_all_agent_playbooks").stdout
    rows = raw.agent_playbooks(limit=100)
    assert len(rows) >= 5
    assert f"Total agent playbooks: {len(rows)}" in stdout
    for row in rows:
        assert f"Playbook ID: {row['agent_playbook_id']}\nName: {row['playbook_name']}\n" in stdout
    for status, number in count(rows, "playbook_status").items():
        assert stdout.count(f"Status: {status}\n") == number
    assert 'Metadata: {"quality_score": 4}' in stdout


def test_12_filter_by_playbook_name(document: Document, raw: RawApi) -> None:
    stdout = document.run("12_filter_by_playbook_name").stdout
    assert stdout.startswith("Aggregated Pain Points:\n")
    assert "[approved] pain_points rule 3" in stdout
    assert "[pending] pain_points rule 4" in stdout
    assert "response_quality" not in stdout


def test_13_using_cache(document: Document) -> None:
    sent: list[httpx.Request] = []
    client: ReflexioClient = document.names["client"]
    client._http.event_hooks = {"request": [sent.append]}
    document.run("13_using_cache")
    client._http.event_hooks = {}
    assert [request.url.path for request in sent] == ["/api/get_agent_playbooks"] * 2
    names = document.names
    assert names["cached_playbooks"] == names["playbooks"] == names["fresh_playbooks"]
    assert len(names["playbooks"].agent_playbooks) >= 3


def test_14_playbook_volume_analysis(document: Document, raw: RawApi) -> None:
    stdout = document.run("14_playbook_volume_analysis").stdout
    expected = count(raw.user_playbooks(limit=500), "playbook_name")
    lines = stdout.splitlines()
    assert lines[0] == "Playbook Distribution by Type:"
    assert set(lines[1:]) == {f"  {name}: {number} entries" for name, number in expected.items()}
    assert lines[1].startswith("  response_quality: ")


def test_15_agent_version_comparison(document: Document, raw: RawApi) -> None:
    stdout = document.run("15_agent_version_comparison").stdout
    expected = count(raw.user_playbooks(playbook_name="response_quality"), "agent_version")
    assert expected["v2.0.0"] == 4
    assert expected["v2.1.0"] >= 8
    for version, number in expected.items():
        assert f"  {version}: {number} entries\n" in stdout
    assert f"Most entries: v2.1.0 ({expected['v2.1.0']} entries)" in stdout


def test_16_temporal_analysis(document: Document, raw: RawApi) -> None:
    stdout = document.run("16_temporal_analysis").stdout
    days = Counter(datetime.fromtimestamp(row["created_at"]).date() for row in raw.user_playbooks())
    today = datetime.now().date()
    expected = [f"  {day}: {days[day]:4d} " for day in (today - timedelta(n) for n in range(7))]
    printed = stdout.splitlines()
    assert printed[0] == "Daily Playbook Volume (last 7 days):"
    assert [line.rstrip("#") for line in printed[1:]] == expected
    assert sum(days.values()) > sum(int(line.split(":")[1].strip(" #")) for line in printed[1:])


def test_17_playbook_status_distribution(document: Document, raw: RawApi) -> None:
    stdout = document.run("17_playbook_status_distribution").stdout
    rows = raw.agent_playbooks(limit=200)
    assert set(count(rows, "playbook_status")) == {"approved", "pending", "rejected"}
    for status, number in count(rows, "playbook_status").items():
        assert f"  {status}: {number} ({number / len(rows) * 100:.1f}%)" in stdout


def test_18_collection_health(document: Document, raw: RawApi) -> None:
    ran = document.run("18_collection_health")
    recent = [row for row in raw.user_playbooks(limit=100) if row["created_at"] > time.time() - DAY]
    assert ran.stdout == f"Playbook health OK: {len(recent)} playbook entries in last 24h\n"
    assert ran.values == [True]


def test_18_health_check_warns_when_there_is_too_little(
    document: Document, capsys: pytest.CaptureFixture[str]
) -> None:
    names = document.names
    assert names["check_playbook_health"](names["client"], min_daily_playbookss=100_000) is False
    assert "(expected 100000+)" in capsys.readouterr().out


def test_19_playbook_report(document: Document, raw: RawApi) -> None:
    stdout = document.run("19_playbook_report").stdout
    rows = raw.user_playbooks(playbook_name="response_quality")
    agents = raw.agent_playbooks(playbook_name="response_quality")
    assert "PLAYBOOK REPORT - Last 30 Days\nFiltered by: response_quality\n" in stdout
    assert f"  Total (all time): {len(rows)}\n  Recent (30 days): {len(rows)}\n" in stdout
    assert f"  Daily average: {len(rows) / 30:.1f}\n" in stdout
    assert f"AGENT PLAYBOOKS:\n  Total: {len(agents)}\n" in stdout
    for status, number in count(agents, "playbook_status").items():
        assert f"  {status}: {number}\n" in stdout
    for version, number in count(rows, "agent_version").items():
        assert f"  {version}: {number}\n" in stdout


def test_20_version_specific_analysis(
    document: Document, raw: RawApi, capsys: pytest.CaptureFixture[str]
) -> None:
    stdout = document.run("20_version_specific_analysis").stdout
    rows = [row for row in raw.user_playbooks(limit=500) if row["agent_version"] == "v2.1.0"]
    assert f"Analysis for Agent Version: v2.1.0\nTotal entries: {len(rows)}\n" in stdout
    for name, number in count(rows, "playbook_name").items():
        assert f"  {name}: {number} entries\n" in stdout
    assert "    Sample: response_quality lesson " in stdout
    names = document.names
    assert names["analyze_version_playbooks"](names["client"], "v9.9.9") is None
    assert capsys.readouterr().out == "No playbook entries found for version v9.9.9\n"


def test_21_continuous_improvement(document: Document) -> None:
    stdout = document.run("21_continuous_improvement").stdout
    assert "Top 5 Validated Improvement Areas:" in stdout
    assert "[response_quality]\n   response_quality rule 0\n" in stdout
    assert '   Metadata: {"quality_score": 4}\n' in stdout
    assert "[pain_points]\n   pain_points rule 3\n" in stdout
    for unapproved in ("rule 1", "rule 2", "rule 4"):
        assert unapproved not in stdout


def test_22_ab_testing(document: Document, raw: RawApi) -> None:
    stdout = document.run("22_ab_testing").stdout
    rows = raw.user_playbooks(playbook_name="response_quality", limit=500)
    versions = count(rows, "agent_version")
    assert document.names["results"] == {
        "version_a": {"version": "v2.0.0", "count": versions["v2.0.0"]},
        "version_b": {"version": "v2.1.0", "count": versions["v2.1.0"]},
    }
    requests = {row["request_id"] for row in rows if row["agent_version"] == "v2.0.0"}
    assert len(requests) == 2
    assert "v2.0.0 unique requests: 2\n" in stdout


def test_23_ecommerce_playbooks(document: Document, raw: RawApi) -> None:
    document.run("23_ecommerce_playbooks")
    assert raw.playbook_names() == [
        "order_resolution",
        "product_recommendations",
        "checkout_assistance",
    ]
    aggregator = raw.config()["playbook_configs"][0]["playbook_aggregator_config"]
    assert (aggregator["min_cluster_size"], aggregator["reaggregation_trigger_count"]) == (3, 5)


def test_24_technical_support_playbooks(document: Document, raw: RawApi) -> None:
    document.run("24_technical_support_playbooks")
    assert raw.playbook_names() == [
        "troubleshooting_effectiveness",
        "technical_accuracy",
        "documentation_referrals",
    ]
    prompt = raw.config()["playbook_configs"][0]["metadata_definition_prompt"]
    assert "escalation_needed: boolean" in prompt


def test_25_healthcare_playbooks(document: Document, raw: RawApi) -> None:
    document.run("25_healthcare_playbooks")
    assert raw.playbook_names() == [
        "symptom_understanding",
        "guidance_appropriateness",
        "empathy_and_support",
    ]


def test_26_clear_playbook_definitions(document: Document, raw: RawApi) -> None:
    document.run("26_clear_playbook_definitions")
    client, good_config = document.names["client"], document.names["good_config"]
    config = client.get_config()
    config.playbook_configs = [good_config]
    client.set_config(config)
    assert raw.playbook_names() == ["response_helpfulness"]


def test_27_aggregation_thresholds(document: Document, raw: RawApi) -> None:
    document.run("27_aggregation_thresholds")
    names = document.names
    for thresholds in (names["high_volume_config"], names["low_volume_config"]):
        playbook = {**names["good_config"], "playbook_aggregator_config": thresholds}
        names["client"].update_config({"playbook_configs": [playbook]})
        (stored,) = raw.config()["playbook_configs"]
        aggregator = stored["playbook_aggregator_config"]
        assert {key: aggregator[key] for key in thresholds} == thresholds


def test_28_consistent_versions(document: Document, raw: RawApi) -> None:
    before = raw.requests(user_id="user_123")
    ran = document.run("28_consistent_versions")
    assert ran.warnings == ["`...` in `interactions` is a placeholder and was skipped"]
    (answer,) = ran.values
    assert not answer.success
    assert "placeholder" in answer.message
    assert raw.requests(user_id="user_123") == before


def test_29_weekly_review(document: Document, raw: RawApi) -> None:
    stdout = document.run("29_weekly_review").stdout
    waiting = raw.agent_playbooks(playbook_status_filter="pending")
    assert {row["content"] for row in waiting} >= {"response_quality rule 2", "pain_points rule 4"}
    assert f"Playbooks pending review: {len(waiting)}\n" in stdout
    for row in waiting:
        assert f"[{row['playbook_name']}] {row['content']}\n" in stdout
    assert "rule 0" not in stdout
    assert "rule 1" not in stdout
