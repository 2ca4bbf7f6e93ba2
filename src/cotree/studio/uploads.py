"""Bounds on what a browser sends: viser keeps whatever comes until it is whole, so it is asked for its size first."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cotree.errors import ViewError
from cotree.model.checks import shown

MOST_BYTES = 100 << 20  # of all files that are on their way


def bound_uploads(server: Any, refuse: Callable[[str], None]) -> None:
    """Refuse files by the size that the browser announces, in words, and drop those that turn out to be larger."""
    messages = import_module("viser._messages")
    gui = server.gui
    try:
        wire, coming = gui._websock_interface, gui._current_file_upload_states
        begin, go_on = gui._handle_file_transfer_start, gui._handle_file_transfer_part
        wire.unregister_handler(messages.FileTransferStartUpload, begin)
        wire.unregister_handler(messages.FileTransferPart, go_on)
    except (AttributeError, ValueError, AssertionError):
        raise ViewError(
            "this version of viser does not let the studio bound the files that it receives; install viser 1.1"
        ) from None

    def started(client: Any, message: Any) -> None:
        size, parts = message.size_bytes, message.part_count
        most = MOST_BYTES
        waiting = sum(int(state["total_bytes"]) for state in coming.values())
        if 0 <= parts <= size < most - waiting:
            begin(client, message)
            return
        wire.queue_message(  # else the bar in the browser stays
            messages.FileTransferPartAck(message.source_component_uuid, message.transfer_uuid, size, size)
        )
        refuse(
            f"{shown(message.filename)} has {size / 2**20:.1f} MB and was not taken; the studio takes files up to "
            f"{most / 2**20:.0f} MB"
        )

    def part(client: Any, message: Any) -> None:
        state = coming.get(message.transfer_uuid)
        if state is not None and state["transferred_bytes"] + len(message.content) > state["total_bytes"]:
            del coming[message.transfer_uuid]
        elif state is not None:
            go_on(client, message)

    wire.register_handler(messages.FileTransferStartUpload, started)
    wire.register_handler(messages.FileTransferPart, part)
