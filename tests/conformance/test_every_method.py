"""The suite drives every method of groups A and B, and what is served of group C. No server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reflexio import ReflexioClient

GROUP_A = [
    "publish_interaction",
    "get_user_playbooks",
    "get_agent_playbooks",
    "get_config",
    "set_config",
    "search_interactions",
    "search_profiles",
    "rerun_profile_generation",
    "manual_profile_generation",
    "rerun_playbook_generation",
    "manual_playbook_generation",
    "upgrade_profiles",
    "upgrade_user_playbooks",
    "run_playbook_aggregation",
    "clear_user_data",
    "get_stall_state",
    "mark_stall_notified",
]

GROUP_B = [
    "publish_interaction_async",
    "get_learning_status",
    "get_interactions",
    "get_all_interactions",
    "get_requests",
    "search_user_profiles",
    "get_profiles",
    "get_all_profiles",
    "search",
    "search_async",
    "search_user_playbooks",
    "search_agent_playbooks",
    "add_user_playbook",
    "add_agent_playbooks",
    "add_user_profile",
    "update_user_playbook",
    "update_agent_playbook",
    "update_agent_playbook_status",
    "update_config",
    "delete_profile",
    "delete_interaction",
    "delete_request",
    "delete_session",
    "delete_agent_playbook",
    "delete_user_playbook",
    "delete_requests_by_ids",
    "delete_profiles_by_ids",
    "delete_agent_playbooks_by_ids",
    "delete_user_playbooks_by_ids",
    "delete_all_interactions",
    "delete_all_profiles",
    "delete_all_playbooks",
    "delete_all_user_playbooks",
    "delete_all_agent_playbooks",
    "whoami",
    "get_profile_change_log",
    "storage_stats",
]

# Evaluation, experiments and rare operations; `SERVED` lists what is there.
GROUP_C = [
    "rerank_user_profiles",
    "mark_session_outcome",
    "get_session_outcomes",
    "get_my_config",
    "invalidate_cache",
    "list_retrieval_experiments",
    "start_retrieval_experiment",
    "stop_retrieval_experiment",
    "get_retrieval_experiment_results",
    "get_agent_success_evaluation_results",
    "get_retrieved_learning_evaluation_results",
    "regenerate_evaluations",
    "get_evaluation_regeneration_status",
    "cancel_evaluation_regeneration",
    "grade_on_demand",
    "review_user_playbooks",
    "list_pending_tool_calls",
    "get_pending_tool_call",
    "resolve_pending_tool_call",
    "update_pending_tool_call_answer",
    "mark_pending_tool_call_not_applicable",
    "cancel_pending_tool_call",
]

# Those of group C that the server has.
SERVED = [
    "mark_session_outcome",
    "get_session_outcomes",
    "get_agent_success_evaluation_results",
    "get_retrieved_learning_evaluation_results",
    "regenerate_evaluations",
    "get_evaluation_regeneration_status",
    "cancel_evaluation_regeneration",
    "grade_on_demand",
]

HERE = Path(__file__).parent
CALLS = "\n".join(path.read_text() for path in sorted(HERE.glob("test_*.py")))


def test_the_groups_are_the_whole_public_client():
    public = {name for name in vars(ReflexioClient) if not name.startswith("_")}
    assert public == {*GROUP_A, *GROUP_B, *GROUP_C}
    assert (len(GROUP_A), len(GROUP_B), len(GROUP_C)) == (17, 37, 22)


@pytest.mark.parametrize("method", [*GROUP_A, *GROUP_B, *SERVED])
def test_some_test_drives(method):
    assert re.search(rf"\b(\w*client|full)\.{method}\(", CALLS), f"no test calls {method}"
