"""A few words of the Language Server Protocol: what an editor is told to offer after a text."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Message = dict[str, Any]


def completions(command: list[str], folder: Path, texts: Sequence[str]) -> list[set[str]]:
    """Labels offered at the end of each text, as a file of a folder."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        _send(server, {"id": 0, "method": "initialize", "params": _client(folder)})
        _send(server, {"method": "initialized", "params": {}})
        found = [_offered(server, (folder / f"typed{k}.py").as_uri(), k, text) for k, text in enumerate(texts, 1)]
        server.kill()
    return found


def _offered(server: subprocess.Popen[bytes], uri: str, number: int, text: str) -> set[str]:
    lines = text.split("\n")
    where = {"line": len(lines) - 1, "character": len(lines[-1])}
    asked = {"textDocument": {"uri": uri}, "position": where}
    _send(server, {"method": "textDocument/didOpen", "params": {"textDocument": _document(uri, text)}})
    _send(server, {"id": number, "method": "textDocument/completion", "params": asked})
    found = _answer(server, number)
    return {item["label"] for item in (found["items"] if isinstance(found, dict) else found)}


def _client(folder: Path) -> Message:
    folders = [{"uri": folder.as_uri(), "name": "project"}]
    return {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}, "workspaceFolders": folders}


def _document(uri: str, text: str) -> Message:
    return {"uri": uri, "languageId": "python", "version": 1, "text": text}


def _send(server: subprocess.Popen[bytes], message: Message) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def _answer(server: subprocess.Popen[bytes], number: int) -> Any:
    """The result with a number; what the server asks meanwhile is answered with nothing."""
    assert server.stdout is not None
    while True:
        size = 0
        while (line := server.stdout.readline().strip()) or not size:
            assert server.poll() is None, "the language server ended"
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        message = json.loads(server.stdout.read(size))
        if message.get("id") == number and "method" not in message:
            return message["result"]
        if "id" in message and "method" in message:
            _send(server, {"id": message["id"], "result": None})
