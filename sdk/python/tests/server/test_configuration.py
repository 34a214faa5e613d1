"""The configuration on the real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raw_api import RawApi

from reflexio import Config, PlaybookConfig, ReflexioClient, ReflexioValidationError

pytestmark = pytest.mark.server


@pytest.fixture
def config(client: ReflexioClient) -> Iterator[Config]:
    """The configuration, put back after the test."""
    before = client.get_config()
    yield before.model_copy(deep=True)
    client.set_config(before)


def test_untouched_config_changes_nothing(
    client: ReflexioClient, raw: RawApi, config: Config
) -> None:
    before = raw.config()
    assert client.set_config(config).success
    assert raw.config() == before


def test_several_playbook_types_are_stored_in_order(
    client: ReflexioClient, raw: RawApi, config: Config
) -> None:
    config.playbook_configs = [
        PlaybookConfig(
            playbook_name=name,
            playbook_definition_prompt="p",
            allow_manual_trigger=True,
            request_sources_enabled=["chat"],
            window_size_override=4,
            stride_size_override=2,
        )
        for name in ("b", "a")
    ]
    client.set_config(config)
    assert raw.playbook_names() == ["b", "a"]
    stored = client.get_config().playbook_configs[0]
    assert stored.allow_manual_trigger is True
    assert stored.request_sources_enabled == ["chat"]
    assert (stored.window_size_override, stored.stride_size_override) == (4, 2)
    assert raw.config()["user_playbook_extractor_config"] is not None


def test_update_leaves_the_rest_alone(client: ReflexioClient, raw: RawApi, config: Config) -> None:
    before = raw.config()
    assert client.update_config({"window_size": 12, "stride_size": 6}).success
    assert raw.config() == {**before, "window_size": 12, "stride_size": 6}


def test_invalid_config_is_refused_and_the_old_one_kept(
    client: ReflexioClient, raw: RawApi, config: Config
) -> None:
    before = raw.config()
    config.window_size = 0
    with pytest.raises(ReflexioValidationError, match="window_size"):
        client.set_config(config)
    with pytest.raises(ReflexioValidationError, match="window_size"):
        client.update_config({"window_size": 0})
    assert raw.config() == before
