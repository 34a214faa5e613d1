"""Plain HTTP to the server, so that tests do not check the SDK with the SDK."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import httpx

Row = dict[str, Any]


class RawApi:
    """Reads rows as the server sends them."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, trust_env=False, timeout=30)

    def __enter__(self) -> RawApi:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.close()

    def get(self, path: str) -> Any:
        return self._http.get(path).raise_for_status().json()

    def post(self, path: str, body: Row) -> Any:
        return self._http.post(path, json=body).raise_for_status().json()

    def config(self) -> Row:
        config: Row = self.get("/api/get_config")
        return config

    def playbook_names(self) -> list[str]:
        """The names of the configured playbook types, in order."""
        return [entry["playbook_name"] for entry in self.config()["playbook_configs"]]

    def interactions(self, user_id: str) -> list[Row]:
        """One user's interactions, oldest first."""
        answer = self.post("/api/get_interactions", {"user_id": user_id, "top_k": 1000})
        rows: list[Row] = answer["interactions"]
        return sorted(rows, key=lambda row: int(row["interaction_id"]))

    def requests(self, **filters: Any) -> list[Row]:
        """Publish calls, each ``{"request": …, "interactions": […]}``."""
        answer = self.post("/api/get_requests", {"top_k": 1000, **filters})
        return [entry for session in answer["sessions"] for entry in session["requests"]]

    def user_playbooks(self, **filters: Any) -> list[Row]:
        answer = self.post("/api/get_user_playbooks", {"limit": 1000, **filters})
        rows: list[Row] = answer["user_playbooks"]
        return rows

    def agent_playbooks(self, **filters: Any) -> list[Row]:
        answer = self.post("/api/get_agent_playbooks", {"limit": 1000, **filters})
        rows: list[Row] = answer["agent_playbooks"]
        return rows

    def profiles(self, user_id: str, **filters: Any) -> list[Row]:
        answer = self.post("/api/get_profiles", {"user_id": user_id, "top_k": 1000, **filters})
        rows: list[Row] = answer["user_profiles"]
        return rows
