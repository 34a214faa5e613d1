"""Where the server is and how to talk to it: arguments first, then the environment."""

from __future__ import annotations

import ipaddress
import os
import uuid
from dataclasses import dataclass

import httpx

from reflexio._version import __version__

DEFAULT_URL = "http://127.0.0.1:8081"
DEFAULT_TIMEOUT_SECONDS = 300.0
_LONGEST_CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Settings:
    """What every call of one client shares."""

    base_url: str
    api_key: str | None
    timeout_seconds: float

    @classmethod
    def resolve(cls, api_key: str | None, url_endpoint: str | None, timeout: float) -> Settings:
        """Fills what was not given from ``REFLEXIO_URL`` and ``REFLEXIO_API_KEY``."""
        base_url = url_endpoint or os.environ.get("REFLEXIO_URL") or DEFAULT_URL
        key = api_key or os.environ.get("REFLEXIO_API_KEY") or None
        return cls(_checked(base_url), key, float(timeout))

    def url(self, path: str) -> str:
        """The full address of ``path``; a path prefix in the base URL is kept."""
        return self.base_url + path

    def headers(self) -> dict[str, str]:
        """The headers of one call, with a fresh ``X-Request-ID``."""
        headers = {
            "Accept": "application/json",
            "User-Agent": f"reflexio-python/{__version__}",
            "X-Request-ID": str(uuid.uuid4()),
        }
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        return headers

    @property
    def timeout(self) -> httpx.Timeout:
        connect = min(self.timeout_seconds, _LONGEST_CONNECT_SECONDS)
        return httpx.Timeout(self.timeout_seconds, connect=connect)

    @property
    def use_proxy_environment(self) -> bool:
        """False for a server on this machine, which no proxy can reach for us."""
        host = httpx.URL(self.base_url).host
        try:
            return not ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host != "localhost"


def _checked(base_url: str) -> str:
    trimmed = base_url.strip().rstrip("/")
    try:
        parsed = httpx.URL(trimmed)
    except httpx.InvalidURL as error:
        raise ValueError(f"`{base_url}` is not a URL: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(f"`{base_url}` is not an http(s) URL; an example is {DEFAULT_URL}")
    if parsed.query or parsed.fragment:
        raise ValueError(f"`{base_url}` must not have a query or a fragment")
    return trimmed
