"""Reading and changing the server's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflexio._call import Call, as_model
from reflexio._endpoint import endpoint
from reflexio.models.config import Config
from reflexio.models.operations import ConfigWriteResponse


class ConfigurationEndpoints:
    """Methods about what Reflexio extracts, and how."""

    @endpoint
    def get_config(self) -> Call[Config]:
        """The whole configuration.

        Example:
            >>> config = client.get_config()
            >>> config.playbook_configs = [{"playbook_name": "pain_points", ...}]
            >>> client.set_config(config)
        """
        return Call("GET", "/api/get_config", as_model(Config), repeatable=True)

    @endpoint
    def set_config(self, config: Config | Mapping[str, Any]) -> Call[ConfigWriteResponse]:
        """Replace the configuration, usually with a changed ``get_config()``.

        Raises ``ReflexioValidationError`` when the server finds the configuration invalid; it then
        keeps the old one.
        """
        return Call(
            "POST",
            "/api/set_config",
            as_model(ConfigWriteResponse),
            body=config.to_wire() if isinstance(config, Config) else dict(config),
        )

    @endpoint
    def update_config(self, partial: Mapping[str, Any]) -> Call[ConfigWriteResponse]:
        """Change the given top-level keys of the configuration and leave the others.

        Example:
            >>> client.update_config({"window_size": 12})
        """
        return Call("POST", "/api/update_config", as_model(ConfigWriteResponse), body=dict(partial))
