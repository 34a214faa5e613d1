"""What each method puts on the wire: one line per method."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from support import ScriptedServer

from reflexio import (
    AgentPlaybook,
    AsyncReflexioClient,
    CostBy,
    JobState,
    OptimizationState,
    PlaybookStatus,
    ReflexioClient,
    RegularVsShadow,
    RunState,
    SearchMode,
    SessionOutcomeKind,
    Status,
    UserProfile,
)

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=timezone.utc)
NOON_CET = datetime(2026, 11, 15, 13, 0, tzinfo=timezone(timedelta(hours=1)))

ANSWER = {
    "optimization": {
        "optimization_id": 3,
        "state": "unchanged",
        "incumbent": "Be brief.",
        "created_at": 1,
    },
    "agent_playbook_id": 7,
    "state": "unchanged",
    "success": True,
    "stalled": False,
    "notified_in_cc": True,
    "org_id": "o",
    "status": "done",
    "today": {"day": "2026-11-15", "resets_at": "2026-11-16T00:00:00Z"},
    "session_id": "s",
    "job_id": "j",
    "total": 1,
    "run": {
        "run_id": "job-3",
        "kind": "rerun",
        "state": "done",
        "started_at": 1,
        "ended_at": 1,
        # Runs of Markdown playbooks come under the same name.
        "playbook": "refund",
        "status": "waiting",
    },
    "job": {"job_id": 3, "kind": "learn", "state": "queued", "created_at": 1, "run_after": 1},
    "content": "hello",
}

WIRE: dict[str, tuple[Callable[[Any], Any], str, Any]] = {
    "mark_session_outcome": (
        lambda c: c.mark_session_outcome(
            "s", "success", NOON, label="l", value=0.5, metadata={"a": 1}, user_id="u"
        ),
        "POST /api/session_outcome",
        {
            "session_id": "s",
            "outcome": "success",
            "occurred_at": 1794744000,
            "label": "l",
            "value": 0.5,
            "metadata": {"a": 1},
            "user_id": "u",
        },
    ),
    "get_session_outcomes": (
        lambda c: c.get_session_outcomes(
            session_ids=["s"], outcome=SessionOutcomeKind.FAILURE, start_time=NOON, top_k=2
        ),
        "POST /api/get_session_outcomes",
        {"session_ids": ["s"], "outcome": "failure", "start_time": 1794744000, "top_k": 2},
    ),
    "get_agent_success_evaluation_results": (
        lambda c: c.get_agent_success_evaluation_results(
            limit=2, agent_version="v", start_time=NOON_CET
        ),
        "POST /api/get_agent_success_evaluation_results",
        {"limit": 2, "agent_version": "v", "start_time": "2026-11-15T12:00:00Z"},
    ),
    "get_retrieved_learning_evaluation_results": (
        lambda c: c.get_retrieved_learning_evaluation_results(user_id="u", session_id="s", limit=2),
        "POST /api/get_retrieved_learning_evaluation_results",
        {"user_id": "u", "session_id": "s", "limit": 2},
    ),
    "grade_on_demand": (
        lambda c: c.grade_on_demand("s", "v", user_id="u"),
        "POST /api/evaluations/grade_on_demand",
        {"session_id": "s", "agent_version": "v", "user_id": "u"},
    ),
    "regenerate_evaluations": (
        lambda c: c.regenerate_evaluations(1, NOON),
        "POST /api/evaluations/regenerate",
        {"from_ts": 1, "to_ts": 1794744000},
    ),
    "get_evaluation_regeneration_status": (
        lambda c: c.get_evaluation_regeneration_status("a/b"),
        "GET /api/evaluations/regenerate/a%2Fb",
        None,
    ),
    "cancel_evaluation_regeneration": (
        lambda c: c.cancel_evaluation_regeneration("j"),
        "DELETE /api/evaluations/regenerate/j",
        None,
    ),
    "get_learning_status": (
        lambda c: c.get_learning_status("r/1"),
        "GET /api/learning_status?request_id=r%2F1",
        None,
    ),
    "get_interactions": (
        lambda c: c.get_interactions("u", start_time=NOON, end_time=NOON_CET, top_k=2),
        "POST /api/get_interactions",
        {
            "user_id": "u",
            "start_time": "2026-11-15T12:00:00Z",
            "end_time": "2026-11-15T12:00:00Z",
            "top_k": 2,
        },
    ),
    "get_all_interactions": (
        lambda c: c.get_all_interactions(limit=2),
        "GET /api/get_all_interactions?limit=2",
        None,
    ),
    "get_requests": (
        lambda c: c.get_requests(user_id="u", session_id="s", offset=3),
        "POST /api/get_requests",
        {"user_id": "u", "session_id": "s", "offset": 3},
    ),
    "search_interactions": (
        lambda c: c.search_interactions(user_id="u", query="q", most_recent_k=2),
        "POST /api/search_interactions",
        {"user_id": "u", "query": "q", "most_recent_k": 2},
    ),
    "get_similar_interactions": (
        lambda c: c.get_similar_interactions(7, top_k=3, everybody=True),
        "GET /api/interactions/7/similar?top_k=3&everybody=true",
        None,
    ),
    "get_context": (
        lambda c: c.get_context("u", "q", token_budget=200, session_id="s", include_covered=True),
        "GET /api/context?user_id=u&query=q&token_budget=200&session_id=s&include_covered=true",
        None,
    ),
    "report_injection": (
        lambda c: c.report_injection(
            "s", [{"kind": "agent_playbook", "learning_id": "7"}], user_id="u", block_version="b"
        ),
        "POST /api/injections",
        {
            "session_id": "s",
            "rules": [{"kind": "agent_playbook", "learning_id": "7"}],
            "user_id": "u",
            "block_version": "b",
        },
    ),
    "get_injections": (
        lambda c: c.get_injections(session_id="s", agent_playbook_id=7, start_time=NOON, limit=2),
        "GET /api/injections?session_id=s&agent_playbook_id=7"
        "&start_time=2026-11-15T12%3A00%3A00Z&limit=2",
        None,
    ),
    "get_playbook_analytics": (
        lambda c: c.get_playbook_analytics(30, playbook_name="p", agent_version="v"),
        "GET /api/analytics/playbooks?days=30&playbook_name=p&agent_version=v",
        None,
    ),
    "compare_agent_versions": (
        lambda c: c.compare_agent_versions(["v1", "v2"], "p", start_time=NOON),
        "GET /api/analytics/versions?agent_version=v1%2Cv2&playbook_name=p"
        "&start_time=2026-11-15T12%3A00%3A00Z",
        None,
    ),
    "get_playbook_review": (
        lambda c: c.get_playbook_review(days=7, limit=5),
        "GET /api/analytics/review?days=7&limit=5",
        None,
    ),
    "get_playbook_health": (
        lambda c: c.get_playbook_health(min_daily=10, pending_days=3),
        "GET /api/analytics/health?min_daily=10&pending_days=3",
        None,
    ),
    "agent_playbook_impact": (
        lambda c: c.agent_playbook_impact(7, compared_with="all"),
        "GET /api/agent_playbooks/7/impact?compared_with=all",
        None,
    ),
    "get_embedding_status": (lambda c: c.get_embedding_status(), "GET /api/embeddings", None),
    "rebuild_embeddings": (
        lambda c: c.rebuild_embeddings(),
        "POST /api/embeddings/rebuild",
        {},
    ),
    "get_image": (lambda c: c.get_image("a/b"), "GET /api/images/a%2Fb", None),
    "search_profiles": (
        lambda c: c.search_profiles(user_id="u", query="q", source="s"),
        "POST /api/search_profiles",
        {"user_id": "u", "query": "q", "source": "s"},
    ),
    "search_user_profiles": (
        lambda c: c.search_user_profiles("u", "q", search_mode=SearchMode.FTS, tags=["t"]),
        "POST /api/search_profiles",
        {"user_id": "u", "query": "q", "search_mode": "fts", "tags": ["t"]},
    ),
    "get_profiles": (
        lambda c: c.get_profiles("u", status_filter=["current", Status.PENDING, None]),
        "POST /api/get_profiles",
        {"user_id": "u", "status_filter": ["current", "pending", None]},
    ),
    "get_all_profiles": (
        lambda c: c.get_all_profiles(limit=3, status_filter=Status.CURRENT, start_time=NOON),
        "GET /api/get_all_profiles?limit=3&status_filter=current&start_time=1794744000",
        None,
    ),
    "add_user_profile": (
        lambda c: c.add_user_profile(
            UserProfile(profile_id="p", user_id="u", content="c", last_modified_timestamp=1)
        ),
        "POST /api/add_user_profile",
        {
            "user_profiles": [
                {
                    "profile_id": "p",
                    "user_id": "u",
                    "content": "c",
                    "last_modified_timestamp": 1,
                    "generated_from_request_id": "cli-manual",
                    "profile_time_to_live": "infinity",
                    "expiration_timestamp": 4102444800,
                    "source_interaction_ids": [],
                    "tags": [],
                }
            ]
        },
    ),
    "get_profile_change_log": (
        lambda c: c.get_profile_change_log(),
        "GET /api/profile_change_log",
        None,
    ),
    "delete_profile": (
        lambda c: c.delete_profile("u", profile_id="p", wait_for_response=True),
        "DELETE /api/delete_profile",
        {"user_id": "u", "profile_id": "p", "search_query": ""},
    ),
    "delete_profiles_by_ids": (
        lambda c: c.delete_profiles_by_ids({"p"}),
        "DELETE /api/delete_profiles_by_ids",
        {"profile_ids": ["p"]},
    ),
    "delete_all_profiles": (
        lambda c: c.delete_all_profiles(),
        "DELETE /api/delete_all_profiles",
        None,
    ),
    "get_user_playbooks": (
        lambda c: c.get_user_playbooks(limit=5, playbook_name="n", status_filter=[None]),
        "POST /api/get_user_playbooks",
        {"limit": 5, "playbook_name": "n", "status_filter": [None]},
    ),
    "get_user_playbooks without filters": (
        lambda c: c.get_user_playbooks(),
        "POST /api/get_user_playbooks",
        {},
    ),
    "search_user_playbooks": (
        lambda c: c.search_user_playbooks("q", status_filter=Status.ARCHIVED),
        "POST /api/search_user_playbooks",
        {"query": "q", "status_filter": ["archived"]},
    ),
    "add_user_playbook": (
        lambda c: c.add_user_playbook([{"content": "c", "agent_version": "v"}]),
        "POST /api/add_user_playbook",
        {"user_playbooks": [{"content": "c", "agent_version": "v"}]},
    ),
    "update_user_playbook": (
        lambda c: c.update_user_playbook(3, trigger="t"),
        "PUT /api/update_user_playbook",
        {"user_playbook_id": 3, "trigger": "t"},
    ),
    "delete_user_playbook": (
        lambda c: c.delete_user_playbook(3, wait_for_response=True),
        "DELETE /api/delete_user_playbook",
        {"user_playbook_id": 3},
    ),
    "delete_user_playbooks_by_ids": (
        lambda c: c.delete_user_playbooks_by_ids(range(2)),
        "DELETE /api/delete_user_playbooks_by_ids",
        {"user_playbook_ids": [0, 1]},
    ),
    "delete_all_user_playbooks": (
        lambda c: c.delete_all_user_playbooks(),
        "DELETE /api/delete_all_user_playbooks",
        None,
    ),
    "get_agent_playbooks": (
        lambda c: c.get_agent_playbooks(playbook_status_filter=PlaybookStatus.APPROVED),
        "POST /api/get_agent_playbooks",
        {"playbook_status_filter": "approved"},
    ),
    "search_agent_playbooks": (
        lambda c: c.search_agent_playbooks("q", playbook_status_filter="approved"),
        "POST /api/search_agent_playbooks",
        {"query": "q", "playbook_status_filter": ["approved"]},
    ),
    "add_agent_playbooks": (
        lambda c: c.add_agent_playbooks(
            [AgentPlaybook(agent_version="v", content="c", created_at=1)]
        ),
        "POST /api/add_agent_playbook",
        {
            "agent_playbooks": [
                {
                    "agent_playbook_id": 0,
                    "playbook_name": "",
                    "agent_version": "v",
                    "created_at": 1,
                    "content": "c",
                    "playbook_status": "pending",
                    "playbook_metadata": "",
                    "tags": [],
                }
            ]
        },
    ),
    "update_agent_playbook": (
        lambda c: c.update_agent_playbook(3, content="c", playbook_status="rejected"),
        "PUT /api/update_agent_playbook",
        {"agent_playbook_id": 3, "content": "c", "playbook_status": "rejected"},
    ),
    "update_agent_playbook_status": (
        lambda c: c.update_agent_playbook_status(3, PlaybookStatus.APPROVED, reason="r"),
        "PUT /api/update_agent_playbook_status",
        {"agent_playbook_id": 3, "playbook_status": "approved", "reason": "r"},
    ),
    "get_agent_playbook_diff": (
        lambda c: c.get_agent_playbook_diff(3),
        "GET /api/agent_playbooks/3/diff",
        None,
    ),
    "get_agent_playbook_history": (
        lambda c: c.get_agent_playbook_history(3),
        "GET /api/agent_playbooks/3/history",
        None,
    ),
    "import_agent_playbooks": (
        lambda c: c.import_agent_playbooks([{"agent_version": "v", "content": "c"}], dry_run=True),
        "POST /api/agent_playbooks/import",
        {"agent_playbooks": [{"agent_version": "v", "content": "c"}], "dry_run": True},
    ),
    "delete_agent_playbook": (
        lambda c: c.delete_agent_playbook(3, wait_for_response=True),
        "DELETE /api/delete_agent_playbook",
        {"agent_playbook_id": 3},
    ),
    "delete_agent_playbooks_by_ids": (
        lambda c: c.delete_agent_playbooks_by_ids([3]),
        "DELETE /api/delete_agent_playbooks_by_ids",
        {"agent_playbook_ids": [3]},
    ),
    "delete_all_agent_playbooks": (
        lambda c: c.delete_all_agent_playbooks(),
        "DELETE /api/delete_all_agent_playbooks",
        None,
    ),
    "delete_all_playbooks": (
        lambda c: c.delete_all_playbooks(),
        "DELETE /api/delete_all_playbooks",
        None,
    ),
    "search": (
        lambda c: c.search(
            "q", user_id="u", conversation_history=[{"role": "User", "content": "hi"}]
        ),
        "POST /api/search",
        {"query": "q", "user_id": "u", "conversation_history": [{"role": "User", "content": "hi"}]},
    ),
    "rerun_profile_generation": (
        lambda c: c.rerun_profile_generation(user_id="u"),
        "POST /api/rerun_profile_generation",
        {"user_id": "u"},
    ),
    "rerun_playbook_generation": (
        lambda c: c.rerun_playbook_generation(agent_version="v", source="s"),
        "POST /api/rerun_playbook_generation",
        {"agent_version": "v", "source": "s"},
    ),
    "manual_profile_generation": (
        lambda c: c.manual_profile_generation(source="chat"),
        "POST /api/manual_profile_generation",
        {"source": "chat"},
    ),
    "manual_playbook_generation": (
        lambda c: c.manual_playbook_generation(agent_version="v"),
        "POST /api/manual_playbook_generation",
        {"agent_version": "v"},
    ),
    "get_operation_status": (
        lambda c: c.get_operation_status(),
        "GET /api/get_operation_status?service_name=profile_generation",
        None,
    ),
    "list_jobs": (
        lambda c: c.list_jobs(JobState.DEAD, kind="learn", user_id="u", limit=2, offset=1),
        "GET /api/jobs?state=dead&kind=learn&user_id=u&limit=2&offset=1",
        None,
    ),
    "get_shadow_comparisons": (
        lambda c: c.get_shadow_comparisons(
            "u",
            "s",
            "v",
            RegularVsShadow.TIED,
            start_time=NOON,
            end_time=NOON_CET,
            limit=2,
            offset=1,
        ),
        "GET /api/shadow_comparisons?user_id=u&session_id=s&agent_version=v&verdict=tied"
        "&start_time=2026-11-15T12%3A00%3A00Z&end_time=2026-11-15T12%3A00%3A00Z&limit=2&offset=1",
        None,
    ),
    "run_shadow_comparisons": (
        lambda c: c.run_shadow_comparisons(agent_version="v", again=True),
        "POST /api/shadow_comparisons/run",
        {"agent_version": "v", "again": True},
    ),
    "start_optimization": (
        lambda c: c.start_optimization(agent_playbook_id=7, estimate_only=True),
        "POST /api/optimizations",
        {"agent_playbook_id": 7, "estimate_only": True},
    ),
    "get_optimizations": (
        lambda c: c.get_optimizations(7, state=OptimizationState.COMMITTED, limit=2, offset=1),
        "GET /api/optimizations?agent_playbook_id=7&state=committed&limit=2&offset=1",
        None,
    ),
    "get_optimization": (lambda c: c.get_optimization(3), "GET /api/optimizations/3", None),
    "cancel_optimization": (
        lambda c: c.cancel_optimization(3),
        "POST /api/optimizations/3/cancel",
        None,
    ),
    "measure_lift": (lambda c: c.measure_lift(7), "POST /api/agent_playbooks/7/lift", None),
    "get_lift": (lambda c: c.get_lift(7), "GET /api/agent_playbooks/7/lift", None),
    "carry_agent_playbooks": (
        lambda c: c.carry_agent_playbooks("v1", "v2", dry_run=True),
        "POST /api/agent_playbooks/carry",
        {"from_version": "v1", "to_version": "v2", "dry_run": True, "allow_new_version": False},
    ),
    "get_runs": (
        lambda c: c.get_runs("upgrade", RunState.UNDONE, limit=2, offset=1),
        "GET /api/runs?kind=upgrade&state=undone&limit=2&offset=1",
        None,
    ),
    "get_run": (lambda c: c.get_run("job-3", limit=5), "GET /api/runs/job-3?limit=5", None),
    "undo_run": (
        lambda c: c.undo_run("job-3", dry_run=True),
        "POST /api/runs/job-3/undo?dry_run=true",
        None,
    ),
    "list_playbooks": (lambda c: c.list_playbooks(), "GET /api/playbooks", None),
    "start_playbook_run": (
        lambda c: c.start_playbook_run(
            "refund",
            "u",
            "Main",
            {"n": 1},
            {"token": "t"},
            "hello",
            max_model_calls=5,
            max_seconds=60,
            max_cost_usd=0.5,
            publish=False,
            recall=True,
        ),
        "POST /api/playbook_runs",
        {
            "playbook": "refund",
            "user_id": "u",
            "start": "Main",
            "args": {"n": 1},
            "variables": {"token": "t"},
            "message": "hello",
            "max_model_calls": 5,
            "max_seconds": 60,
            "max_cost_usd": 0.5,
            "publish": False,
            "recall": True,
        },
    ),
    "list_playbook_runs": (
        lambda c: c.list_playbook_runs("u", "refund", "waiting", limit=2, offset=1),
        "GET /api/playbook_runs?user_id=u&playbook=refund&status=waiting&limit=2&offset=1",
        None,
    ),
    "get_playbook_run": (
        lambda c: c.get_playbook_run("r1", at=7),
        "GET /api/playbook_runs/r1?at=7",
        None,
    ),
    "tell_playbook_run": (
        lambda c: c.tell_playbook_run("r1", "hello"),
        "POST /api/playbook_runs/r1/messages",
        {"text": "hello"},
    ),
    "decide_playbook_run": (
        lambda c: c.decide_playbook_run("r1", True, "eve"),
        "POST /api/playbook_runs/r1/approval",
        {"approved": True, "by": "eve"},
    ),
    "cancel_playbook_run": (
        lambda c: c.cancel_playbook_run("r1"),
        "POST /api/playbook_runs/r1/cancel",
        None,
    ),
    "get_playbook_journal": (
        lambda c: c.get_playbook_journal("r1", after=3, limit=10),
        "GET /api/playbook_runs/r1/journal?after=3&limit=10",
        None,
    ),
    "ask_playbook_assistant": (
        lambda c: c.ask_playbook_assistant("refund", [{"role": "user", "content": "hi"}]),
        "POST /api/playbooks/refund/assistant",
        {"messages": [{"role": "user", "content": "hi"}], "playbooks": []},
    ),
    "get_job": (lambda c: c.get_job(3), "GET /api/jobs/3", None),
    "retry_job": (lambda c: c.retry_job(3), "POST /api/jobs/3/retry", None),
    "cancel_job": (lambda c: c.cancel_job(3), "POST /api/jobs/3/cancel", None),
    "get_costs": (
        lambda c: c.get_costs(
            CostBy.MODEL, first_day=date(2026, 11, 1), last_day="2026-11-15", user_id="u", limit=5
        ),
        "GET /api/costs?from=2026-11-01&to=2026-11-15&by=model&user_id=u&limit=5",
        None,
    ),
    "upgrade_profiles": (
        lambda c: c.upgrade_profiles(user_id="u"),
        "POST /api/upgrade_all_profiles",
        {"user_id": "u", "only_affected_users": True},
    ),
    "upgrade_user_playbooks": (
        lambda c: c.upgrade_user_playbooks(agent_version="v"),
        "POST /api/upgrade_all_user_playbooks",
        {"agent_version": "v", "archive_current": True},
    ),
    "downgrade_profiles": (
        lambda c: c.downgrade_profiles(user_id="u"),
        "POST /api/downgrade_all_profiles",
        {"user_id": "u", "only_affected_users": True},
    ),
    "downgrade_user_playbooks": (
        lambda c: c.downgrade_user_playbooks(agent_version="v", playbook_name="n"),
        "POST /api/downgrade_all_user_playbooks",
        {"agent_version": "v", "playbook_name": "n"},
    ),
    "run_playbook_aggregation": (
        lambda c: c.run_playbook_aggregation(agent_version="v"),
        "POST /api/run_playbook_aggregation",
        {"agent_version": "v"},
    ),
    "clear_user_data": (
        lambda c: c.clear_user_data(user_id="u"),
        "POST /api/clear_user_data",
        {"user_id": "u"},
    ),
    "delete_interaction": (
        lambda c: c.delete_interaction("u", 3, wait_for_response=True),
        "DELETE /api/delete_interaction",
        {"user_id": "u", "interaction_id": 3},
    ),
    "delete_request": (
        lambda c: c.delete_request("r", wait_for_response=True),
        "DELETE /api/delete_request",
        {"request_id": "r"},
    ),
    "delete_session": (
        lambda c: c.delete_session("s", wait_for_response=True),
        "DELETE /api/delete_session",
        {"session_id": "s"},
    ),
    "delete_requests_by_ids": (
        lambda c: c.delete_requests_by_ids(["r"]),
        "DELETE /api/delete_requests_by_ids",
        {"request_ids": ["r"]},
    ),
    "delete_all_interactions": (
        lambda c: c.delete_all_interactions(),
        "DELETE /api/delete_all_interactions",
        None,
    ),
    "get_stall_state": (lambda c: c.get_stall_state(), "GET /stall_state", None),
    "mark_stall_notified": (lambda c: c.mark_stall_notified(), "POST /stall_state/notified", None),
    "whoami": (lambda c: c.whoami(), "GET /api/whoami", None),
    "storage_stats": (
        lambda c: c.storage_stats(user_id="u"),
        "GET /api/storage_stats?user_id=u",
        None,
    ),
    "health": (lambda c: c.health(), "GET /health", None),
    "get_config": (lambda c: c.get_config(), "GET /api/get_config", None),
    "set_config": (lambda c: c.set_config({"a": 1}), "POST /api/set_config", {"a": 1}),
    "update_config": (lambda c: c.update_config({"a": 1}), "POST /api/update_config", {"a": 1}),
}


def on_the_wire(server: ScriptedServer) -> tuple[str, Any]:
    (request,) = server.requests
    target = request.url.raw_path.decode()
    body = json.loads(request.content) if request.content else None
    assert ("content-type" in request.headers) == (body is not None)
    return f"{request.method} {target}", body


@pytest.mark.parametrize("name", list(WIRE))
def test_blocking_client_sends(name: str) -> None:
    call, target, body = WIRE[name]
    server = ScriptedServer(ANSWER)
    client = server.client()
    call(client)
    client.flush()
    assert on_the_wire(server) == (target, body)


@pytest.mark.parametrize("name", list(WIRE))
def test_asynchronous_client_sends_the_same(name: str) -> None:
    call, target, body = WIRE[name]
    server = ScriptedServer(ANSWER)

    async def run() -> None:
        async with server.async_client() as client:
            await call(client)
            await client.flush()

    asyncio.run(run())
    assert on_the_wire(server) == (target, body)


def test_every_public_method_is_checked_here_or_in_test_publish() -> None:
    own = {"flush", "close", "aclose", "base_url"}
    elsewhere = {"publish_interaction", "publish_interaction_async", "search_async"}
    for client in (ReflexioClient, AsyncReflexioClient):
        methods = {name for name in dir(client) if not name.startswith("_")} - own - elsewhere
        assert methods == {name.partition(" ")[0] for name in WIRE}


def test_naive_time_is_local_time() -> None:
    local = NOON.astimezone().replace(tzinfo=None)
    server = ScriptedServer({"success": True, "interactions": []})
    server.client().get_interactions("u", start_time=local)
    assert server.body()["start_time"] == "2026-11-15T12:00:00Z"


def test_image_comes_back_as_bytes() -> None:
    png = b"\x89PNG\r\n"
    server = ScriptedServer(httpx.Response(200, content=png, headers={"content-type": "image/png"}))
    assert server.client().get_image("i") == png


def test_coroutine_names_work_on_both_clients() -> None:
    async def run() -> None:
        for make in (ScriptedServer.client, ScriptedServer.async_client):
            server = ScriptedServer(ANSWER)
            client: Any = make(server)
            assert (await client.publish_interaction_async("u", [{"content": "x"}])).success
            assert (await client.search_async("q")).success
            assert server.paths() == ["/api/publish_interaction", "/api/search"]

    asyncio.run(run())


def test_help_shows_the_result_and_the_documentation() -> None:
    for name in WIRE:
        method = getattr(ReflexioClient, name.partition(" ")[0])
        assert "Call[" not in str(inspect.signature(method))
        assert method.__doc__
