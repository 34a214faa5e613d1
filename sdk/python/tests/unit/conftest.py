"""Unit tests do not wait."""

from __future__ import annotations

import pytest

from reflexio import _flow, _polling


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_flow, "FIRST_BACKOFF_SECONDS", 0.0)
    monkeypatch.setattr(_polling, "FIRST_INTERVAL_SECONDS", 0.0)
