"""Unit tests neither wait nor read the developer's environment."""

from __future__ import annotations

import pytest

from reflexio import _flow, _polling


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_flow, "FIRST_BACKOFF_SECONDS", 0.0)
    monkeypatch.setattr(_polling, "FIRST_INTERVAL_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFLEXIO_URL", raising=False)
    monkeypatch.delenv("REFLEXIO_API_KEY", raising=False)
