"""Makes a client method out of an endpoint's description.

An endpoint is written once, in a class that both clients inherit:

    @endpoint
    def whoami(self) -> Call[WhoamiResponse]: ...

``ReflexioClient().whoami()`` then returns a ``WhoamiResponse`` and
``AsyncReflexioClient().whoami()`` a coroutine of one; type checkers know the difference.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from reflexio._call import Call

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class BlockingCaller:
    """A client whose methods return results."""

    def _perform(self, call: Call[R]) -> R:
        raise NotImplementedError


class AwaitingCaller:
    """A client whose methods return coroutines."""

    async def _perform(self, call: Call[R]) -> R:
        raise NotImplementedError


class Endpoint(Protocol[P, R_co]):
    """How a decorated endpoint looks, depending on the client it is reached through."""

    @overload
    def __get__(self, client: None, owner: type[Any], /) -> Callable[Concatenate[Any, P], Any]: ...

    @overload
    def __get__(self, client: BlockingCaller, owner: type[Any], /) -> Callable[P, R_co]: ...

    @overload
    def __get__(
        self, client: AwaitingCaller, owner: type[Any], /
    ) -> Callable[P, Coroutine[Any, Any, R_co]]: ...


class CoroutineEndpoint(Protocol[P, R_co]):
    """An endpoint that is a coroutine on every client."""

    @overload
    def __get__(self, client: None, owner: type[Any], /) -> Callable[Concatenate[Any, P], Any]: ...

    @overload
    def __get__(
        self, client: Any, owner: type[Any], /
    ) -> Callable[P, Coroutine[Any, Any, R_co]]: ...


def endpoint(describe: Callable[Concatenate[Any, P], Call[R]]) -> Endpoint[P, R]:
    """The client method that performs the described call."""

    @functools.wraps(describe)
    def method(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        return self._perform(describe(self, *args, **kwargs))

    _show_result_in_signature(method)
    return cast("Endpoint[P, R]", method)


def as_coroutine(of: Endpoint[P, R]) -> CoroutineEndpoint[P, R]:
    """The same endpoint as a coroutine, on the blocking client too."""
    describe: Callable[..., Call[R]] = cast(Any, of).__wrapped__

    @functools.wraps(describe)
    async def method(self: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = await self._perform_async(describe(self, *args, **kwargs))
        return result

    method.__name__ = f"{describe.__name__}_async"
    _show_result_in_signature(method)
    return cast("CoroutineEndpoint[P, R]", method)


def _show_result_in_signature(method: Callable[..., Any]) -> None:
    """Lets ``help()`` say ``-> Response`` where the description says ``-> Call[Response]``."""
    signature = inspect.signature(method)
    result = str(signature.return_annotation).removeprefix("Call[").removesuffix("]")
    cast(Any, method).__signature__ = signature.replace(return_annotation=result)
