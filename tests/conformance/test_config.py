"""get_config, set_config and update_config. Each test has a server of its own."""

from __future__ import annotations

import pytest
from reflexio import Config

from expect import refused, same_shape

SECRET = "sk-conformance-0123456789abcdef"
TYPES = [
    {
        "playbook_name": "response_quality",
        "playbook_definition_prompt": "Judge the answers",
        "metadata_definition_prompt": "quality_score",
    },
    {
        "playbook_name": "pain_points",
        "playbook_definition_prompt": "Find what hurts",
        "playbook_aggregator_config": {"min_cluster_size": 5, "reaggregation_trigger_count": 10},
    },
]


def test_the_first_configuration_has_the_recorded_keys(own_client):
    config = own_client.get_config()
    assert (config.window_size, config.stride_size) == (10, 8)
    same_shape("A.get_config.initial", own_client.last())


def test_a_changed_configuration_is_kept(own_client):
    config = own_client.get_config()
    config.window_size, config.stride_size, config.agent_context_prompt = (
        5,
        3,
        "A shop for bicycles",
    )
    answer = own_client.set_config(config)
    assert answer["success"] is True
    same_shape("A.set_config.window3_stride2", answer, path="/api/set_config")
    kept = own_client.get_config()
    assert (kept.window_size, kept.stride_size, kept.agent_context_prompt) == (
        5,
        3,
        "A shop for bicycles",
    )


def test_nothing_changes_when_a_configuration_is_written_back(own_client):
    before = own_client.get_config()
    own_client.set_config(before)
    assert own_client.get_config() == before


def test_the_clients_own_extractor_settings_are_kept(own_client):
    config = own_client.get_config()
    data = config.model_dump()
    data["user_playbook_extractor_config"] = {
        "playbook_name": "pain_points",
        "playbook_definition_prompt": "Find what hurts",
        "playbook_aggregator_config": {"min_cluster_size": 5, "reaggregation_trigger_count": 10},
    }
    own_client.set_config(Config(**{key: data[key] for key in Config.model_fields if key in data}))
    kept = own_client.get_config().user_playbook_extractor_config
    assert (kept.extractor_name, kept.extraction_definition_prompt) == (
        "pain_points",
        "Find what hurts",
    )
    assert kept.aggregation_config.min_cluster_size == 5
    same_shape("A.get_config.after_singular", own_client.last())


def test_optimizer_settings_are_kept(own_client):
    config = own_client.get_config()
    config.playbook_optimizer_config.enabled = True
    config.playbook_optimizer_config.max_metric_calls = 7
    same_shape(
        "A.set_config.playbook_optimizer_config",
        own_client.set_config(config),
        path="/api/set_config",
    )
    kept = own_client.get_config().playbook_optimizer_config
    assert (kept.enabled, kept.max_metric_calls) == (True, 7)


def test_an_update_changes_only_what_it_names(own_client):
    before = own_client.get_config()
    answer = own_client.update_config({"window_size": 12})
    assert answer["success"] is True
    same_shape("B.update_config", answer)
    after = own_client.get_config()
    assert after.window_size == 12
    after.window_size = before.window_size
    assert after == before


def test_an_update_that_changes_nothing_succeeds(own_client):
    own_client.update_config({"window_size": 12})
    answer = own_client.update_config({"window_size": 12})
    assert answer["success"] is True
    same_shape("B.update_config.noop", answer)


def test_playbook_configs_are_accepted_by_update_config(own_client):
    assert own_client.update_config({"playbook_configs": TYPES})["success"] is True
    kept = own_client.get_config().model_dump()["playbook_configs"]
    assert [(row["playbook_name"], row["playbook_definition_prompt"]) for row in kept] == [
        ("response_quality", "Judge the answers"),
        ("pain_points", "Find what hurts"),
    ]
    assert kept[0]["metadata_definition_prompt"] == "quality_score"
    assert kept[1]["playbook_aggregator_config"]["min_cluster_size"] == 5


def test_playbook_configs_are_accepted_by_set_config(own_api):
    config = own_api.get("/api/get_config").json() | {"playbook_configs": TYPES}
    answer = own_api.post("/api/set_config", config)
    assert answer.status_code == 200, answer.text
    assert answer.json()["success"] is True
    kept = own_api.get("/api/get_config").json()["playbook_configs"]
    assert [row["playbook_name"] for row in kept] == ["response_quality", "pain_points"]


def test_set_config_of_the_official_client_does_not_erase_playbook_configs(own_client):
    own_client.update_config({"playbook_configs": TYPES})
    config = own_client.get_config()
    config.window_size = 20
    own_client.set_config(config)
    after = own_client.get_config().model_dump()
    assert after["window_size"] == 20
    assert [row["playbook_name"] for row in after["playbook_configs"]] == [
        "response_quality",
        "pain_points",
    ]


@pytest.mark.parametrize(
    "section",
    [
        {"openai": {"api_key": SECRET}},
        {"anthropic": {"api_key": SECRET}},
        {
            "custom_endpoint": {
                "model": "m",
                "api_key": SECRET,
                "api_base": "https://models.example.com/v1",
            }
        },
    ],
)
def test_provider_keys_are_redacted_and_survive_a_round_trip(own_client, own_server, section):
    own_client.update_config({"api_key_config": section})
    (provider,) = section
    shown = own_client.get_config()
    redacted = getattr(shown.api_key_config, provider).api_key
    assert redacted
    assert redacted != SECRET
    assert SECRET not in str(own_client.last())
    own_client.set_config(shown)
    after = own_client.get_config()
    # A key that was lost or overwritten by its own mask would show another mask, or none.
    assert getattr(after.api_key_config, provider).api_key == redacted
    assert SECRET not in own_server.log.read_text(errors="replace")


def test_a_refused_configuration_changes_nothing(own_api):
    before = own_api.get("/api/get_config").json()
    refused(
        own_api.post("/api/set_config", before | {"window_size": 0}), "greater_than", "window_size"
    )
    refused(
        own_api.post("/api/set_config", before | {"window_size": 2, "stride_size": 5}),
        "value_error",
    )
    assert own_api.get("/api/get_config").json() == before
