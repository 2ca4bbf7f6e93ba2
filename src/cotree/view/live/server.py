"""A private viser server: this machine only by default, with access control, without console output or remote content."""

from __future__ import annotations

import contextlib
import importlib
import io
import socket
import threading
from collections.abc import Iterator
from typing import Any

from cotree.errors import ViewError
from cotree.io.native.texts import package
from cotree.model.checks import shown
from cotree.view.live.gate import Gate
from cotree.view.scene.colours import LIGHT, rgb

FIRST_PORT = 8080
_ONE_AT_A_TIME = threading.RLock()


def start(name: str, host: str, port: int | None) -> tuple[Any, str]:
    """(server on this port, or on the first free one from 8080 on; its address including the secret)."""
    viser = package("viser", "view")
    _require_free(host, 0 if port is None else port)
    gate = Gate(host)
    with quiet(), gate.closed_around(importlib.import_module("websockets.asyncio.server")):
        server = viser.ViserServer(host=host, port=FIRST_PORT if port is None else port, label=name, verbose=False)
    if not gate.shut:
        stop(server)
        raise ViewError(
            f"viser {viser.__version__} has no access control, so any web page could connect to its live view; install "
            "viser 1.1"
        )
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=rgb(LIGHT["c0"]))
    server.gui.main_panel.dock_right()
    seen_as = "localhost" if host == "0.0.0.0" else host
    return server, f"http://{seen_as}:{server.get_port()}/{gate.token}"


def stop(server: Any) -> None:
    with quiet():
        server.stop()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress viser's messages on standard output. One thread at a time: the end of one would undo the other's, and the
    last to end would leave standard output suppressed for good."""
    with _ONE_AT_A_TIME, contextlib.redirect_stdout(io.StringIO()):
        yield


def _require_free(host: Any, port: Any) -> None:
    """Raise if the port is not available. Port 0 checks the host only; viser would search for a port forever."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError, TypeError, ValueError) as error:
            raise ViewError(
                f"port {shown(port)} of {shown(host)} is not available for a live view ({error}); close what uses it, name "
                "another with port=, or leave it out to get the first that is free"
            ) from None
