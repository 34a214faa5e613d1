"""The configuration on its way from and to the server."""

from __future__ import annotations

from typing import Any

import pytest
from support import ScriptedServer

from reflexio import Config, PlaybookAggregatorConfig, PlaybookConfig

FROM_SERVER: dict[str, Any] = {
    "storage_config": {"db_path": None},
    "playbook_configs": [],
    "user_playbook_extractor_config": {"extractor_name": None, "future": {"deep": 1}},
    "window_size": 10,
    "llm_config": None,
    "invented_tomorrow": {"a": [1, None]},
}


def sent(config: Any) -> Any:
    server = ScriptedServer({"success": True, "msg": "stored"})
    server.client().set_config(config)
    return server.body()


def read() -> Config:
    return ScriptedServer(FROM_SERVER).client().get_config()


def test_untouched_config_goes_back_as_it_came() -> None:
    assert sent(read()) == FROM_SERVER


def test_dicts_may_be_assigned_and_read_as_objects() -> None:
    config = read()
    config.playbook_configs = [
        {  # type: ignore[list-item]
            "playbook_name": "pain_points",
            "playbook_definition_prompt": "p",
            "playbook_aggregator_config": {"min_cluster_size": 5},
            "unknown": True,
        }
    ]
    only = config.playbook_configs[0]
    assert only.playbook_name == "pain_points"
    assert only.playbook_aggregator_config is not None
    assert only.playbook_aggregator_config.min_cluster_size == 5
    assert sent(config) == {
        **FROM_SERVER,
        "playbook_configs": [
            {
                "playbook_name": "pain_points",
                "playbook_definition_prompt": "p",
                "playbook_aggregator_config": {"min_cluster_size": 5},
                "unknown": True,
            }
        ],
    }


def test_changes_in_place_are_sent() -> None:
    config = Config()
    config.playbook_configs.append(PlaybookConfig(playbook_name="a"))
    config.playbook_configs.append({"playbook_name": "b"})  # type: ignore[arg-type]
    config.playbook_configs[0].playbook_aggregator_config = PlaybookAggregatorConfig(
        min_cluster_size=2
    )
    assert sent(config) == {
        "storage_config": None,
        "playbook_configs": [
            {"playbook_name": "a", "playbook_aggregator_config": {"min_cluster_size": 2}},
            {"playbook_name": "b"},
        ],
    }


def test_field_set_to_none_is_sent_as_null() -> None:
    config = read()
    config.window_size = None
    assert sent(config)["window_size"] is None


def test_unknown_keys_can_be_read_and_assigned() -> None:
    config = read()
    assert config.invented_tomorrow == {"a": [1, None]}  # type: ignore[attr-defined]
    config.invented_here = 1  # type: ignore[attr-defined]
    assert sent(config)["invented_here"] == 1


def test_dict_is_sent_as_it_is() -> None:
    assert sent({"window_size": 3, "playbook_configs": []}) == {
        "window_size": 3,
        "playbook_configs": [],
    }


def test_wrong_type_is_refused_at_the_assignment() -> None:
    with pytest.raises(ValueError, match="window_size"):
        Config().window_size = "many"  # type: ignore[assignment]


def test_update_sends_only_the_given_keys() -> None:
    server = ScriptedServer({"success": True, "msg": "stored"})
    answer = server.client().update_config({"window_size": 12})
    assert server.body() == {"window_size": 12}
    assert server.paths() == ["/api/update_config"]
    assert answer.success
    assert answer["msg"] == answer.msg == answer.get("msg") == "stored"
    assert answer.get("nothing") is None
