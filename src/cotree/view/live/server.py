"""A viser server that keeps to itself: on this machine only unless asked, quiet, nothing from elsewhere."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import Any

from cotree.errors import ViewError
from cotree.io.texts import package
from cotree.view.scene.colours import LIGHT, rgb

FIRST_PORT = 8080


def start(name: str, host: str, port: int | None) -> Any:
    """A server on this port, or on the first free one from 8080 on."""
    viser = package("viser", "view")
    if port is not None:
        _require_free(host, port)
    with quiet():
        server = viser.ViserServer(host=host, port=FIRST_PORT if port is None else port, label=name, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=rgb(LIGHT["c0"]))
    server.gui.main_panel.dock_right()
    return server


def stop(server: Any) -> None:
    with quiet():
        server.stop()


def quiet() -> contextlib.AbstractContextManager[Any]:
    """Viser tells what it does on the standard output, which is the caller's."""
    return contextlib.redirect_stdout(io.StringIO())


def _require_free(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError, TypeError) as error:
            raise ViewError(
                f"port {port!r} of {host!r} cannot be had for a live view ({error}); close what uses it, name another "
                "with port=, or leave it out to get the first that is free"
            ) from None
