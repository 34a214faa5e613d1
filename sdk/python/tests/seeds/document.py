"""Executes the code blocks of one document, in order, in one shared namespace.

The blocks lie in a folder, one file each, as the document writes them. Seeds 001 and 003 arrived
without indentation and with prose glued to the end of blocks; only that was repaired.
"""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What a block did that the namespace does not show."""

    stdout: str
    values: list[Any]
    """The values of the block's bare expressions, such as ``InteractionData(…)`` on its own."""
    warnings: list[str]


class Document:
    """The blocks of one document and the names they have defined so far."""

    def __init__(self, folder: Path, prelude: dict[str, Any]) -> None:
        self.names = dict(prelude)
        self._waiting = {path.stem: path for path in sorted(folder.glob("*.py"))}

    def run(self, block: str) -> Ran:
        """Executes a block, after those before it that have not been executed yet."""
        if block not in self._waiting:
            raise KeyError(f"block `{block}` does not exist or was executed already")
        while next(iter(self._waiting)) != block:
            self._execute(self._waiting.pop(next(iter(self._waiting))))
        return self._execute(self._waiting.pop(block))

    def _execute(self, path: Path) -> Ran:
        module = ast.parse(path.read_text(), filename=str(path))
        values: list[Any] = []
        with (
            contextlib.redirect_stdout(io.StringIO()) as stdout,
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            for statement in module.body:
                if isinstance(statement, ast.Expr):
                    expression = ast.Expression(statement.value)
                    values.append(eval(compile(expression, str(path), "eval"), self.names))
                else:
                    piece = ast.Module([statement], type_ignores=[])
                    exec(compile(piece, str(path), "exec"), self.names)
        return Ran(stdout.getvalue(), values, [str(warning.message) for warning in caught])
