"""Access control of a live view: only requests with its secret, from its own page, under a name of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hmac
import ipaddress
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

_ONE_AT_A_TIME = threading.Lock()


def is_loopback(name: str) -> bool:
    """Whether a name or address can only mean this machine."""
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Gate:
    """A request is answered if its path begins with the secret `token`; its Origin, if any, is the address it was sent to
    (so pages of other sites are refused); and, when only this machine is served, its Host is a name of this machine
    (so foreign names that resolve to this machine are refused)."""

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(18)
        self.local = is_loopback(host)
        self.shut = False  # whether a server uses this gate

    def admits(self, path: str, host: str, origin: str | None) -> bool:
        first = path.split("?")[0].split("/")[1:2]
        known = bool(first) and hmac.compare_digest(first[0].encode(errors="replace"), self.token.encode())
        own = origin is None or origin in (f"http://{host}", f"https://{host}")
        return known and own and (not self.local or is_loopback(_name(host)))

    def before(self, answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """The same handler for admitted requests, with the secret removed from the path."""

        def checked(connection: Any, request: Any) -> Any:
            host, origin = (_only(request.headers.get_all(name)) for name in ("Host", "Origin"))
            if host is None or not self.admits(request.path, host, origin):
                return connection.respond(
                    403, "Access denied: open the address exactly as printed, including the secret at its end.\n"
                )
            rest = request.path[1 + len(self.token) :]
            path = rest if rest.startswith("/") else f"/{rest}"
            response = answer(connection, dataclasses.replace(request, path=path))
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"
                response.headers["Cache-Control"] = "no-store"
            return response

        return checked

    @contextlib.contextmanager
    def closed_around(self, module: Any) -> Iterator[None]:
        """Within this context, servers that viser starts with `serve` of this module ask the gate first (viser has no hook)."""
        with _ONE_AT_A_TIME:
            serve = module.serve

            def serving(handler: Any, *where: Any, process_request: Any = None, **options: Any) -> Any:
                if getattr(handler, "__module__", "").startswith("viser."):
                    self.shut, process_request, handler = True, self.before(process_request), forgiving(handler)
                return serve(handler, *where, process_request=process_request, **options)

            module.serve = serving
            try:
                yield
            finally:
                module.serve = serve


def forgiving(handler: Callable[[Any], Awaitable[None]]) -> Callable[[Any], Awaitable[None]]:
    """The same handler of connections, for clients that send anything: a message that cannot be read ends the connection it
    came from, one that cannot be obeyed is passed over, and neither is printed."""

    async def answering(connection: Any) -> None:
        asyncio.get_running_loop().set_exception_handler(_report_others)
        try:
            await handler(connection)
        except Exception:  # of whatever kind: it depends on what was sent
            await connection.close(1007, "a message cannot be read")

    return answering


def _report_others(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For errors in tasks of viser's loop: all but those in which it obeys messages are reported as usual."""
    task = context.get("future")
    name = task.get_coro().__qualname__ if isinstance(task, asyncio.Task) else ""  # type: ignore[union-attr]
    if not name.endswith("._handle_incoming_message"):
        loop.default_exception_handler(context)


def _only(values: list[str]) -> str | None:
    """The value of a header that occurs once; an invalid value if it occurs more often."""
    return None if not values else values[0] if len(values) == 1 else "twice"


def _name(host: str) -> str:
    """Host header without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
