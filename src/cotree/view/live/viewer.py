"""`Viewer`: base of the live views in the browser."""

from __future__ import annotations

import atexit
import builtins
import html
import sys
import threading
import webbrowser

from cotree.model.checks import flag_or_none
from cotree.view.live.panels import add_switches
from cotree.view.live.server import start, stop
from cotree.view.live.stage import Stage, sendable
from cotree.view.scene import Scene


class Viewer:
    """A live view: `url` to open in a browser, `close()` to end it (also by `with`), `wait()` to keep it until Ctrl-C.

    The address ends with a secret: whoever has it can view and control; requests without it are refused.

    The server runs in threads of this process and ends with it. In a notebook a viewer shows itself.
    """

    def __init__(self, scene: Scene, host: str, port: int | None, room: float = 1.0) -> None:
        self.server, self.url = start(sendable(scene.system.name or "cotree"), host, port)
        self._closed = threading.Event()
        self._ending = threading.Event()  # set first, so that a long move does not delay `close`
        self._lock = threading.RLock()
        atexit.register(self.close)  # before viser's own, which prints a message
        self.stage = Stage(self.server, scene, room)

    def _shows(self) -> None:
        """Check boxes for what is shown besides the bodies."""
        add_switches(self.server.gui, self.stage)

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def close(self) -> None:
        """End the view and free its port; closing twice is harmless."""
        self._ending.set()
        with self._lock:  # nothing is sent after this
            if self._closed.is_set():
                return
            self._closed.set()
        atexit.unregister(self.close)
        stop(self.server)

    def wait(self, words: str = "") -> None:
        """Wait until the view is closed; Ctrl-C closes it. Optionally prints a text first."""
        try:
            if words:
                print(words, flush=True)
            while not self._closed.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def show(self, open: bool | None, wait: bool | None) -> None:
        """Open a browser and wait, or not: see `view_run`."""
        open, wait = flag_or_none(open, "open"), flag_or_none(wait, "wait")
        opens = not in_notebook() if open is None else open
        if opens:
            webbrowser.open(self.url)
        if wait if wait is not None else (opens and not at_prompt()):
            self.wait(f"{self.url} (Ctrl-C to quit)")

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}{', closed' if self.closed else ''}>"

    def _repr_html_(self) -> str:
        if self.closed:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="560" style="border:0"></iframe>'


def in_notebook() -> bool:
    return "ipykernel" in sys.modules


def at_prompt() -> bool:
    """Whether Python is interactive (its own prompt, IPython or a notebook), in which case the view does not block."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or hasattr(builtins, "get_ipython") or in_notebook()
