"""Each document runs against a server of its own, so that the rows it counts are its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import StartServer
from raw_api import RawApi


@pytest.fixture(scope="module")
def document_url(start_server: StartServer) -> Iterator[str]:
    """A fresh server that ``ReflexioClient()`` finds without arguments."""
    url = start_server().url
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REFLEXIO_URL", url)
        yield url


@pytest.fixture(scope="module")
def raw(document_url: str) -> Iterator[RawApi]:
    with RawApi(document_url) as raw:
        yield raw


@pytest.fixture(scope="module")
def working_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty current directory, for documents that read files."""
    before = Path.cwd()
    folder = tmp_path_factory.mktemp("cwd")
    os.chdir(folder)
    yield folder
    os.chdir(before)
