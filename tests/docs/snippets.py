"""The Python blocks of a page run one after the other in one namespace; what they print beside what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from cotree.cli import main

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(?:#|<!--) (\S+\.\w+)(?: -->)?\n")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
COUNTS = re.compile(r"\d+ (?:steps|evaluations)|\(\d+ rejected\)")  # which differ from machine to machine too
TINY = 1e-4  # below it are rounding and truncation errors, which differ from machine to machine


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, text) of the fenced blocks of a page."""
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


def pages() -> list[str]:
    """Paths of the pages with Python blocks, within docs."""
    every = sorted(p.relative_to(DOCS).as_posix() for folder in (".", "recipes") for p in (DOCS / folder).glob("*.md"))
    return [page for page in every if any(language == "python" for language, _ in blocks(page))]


def printed(code: str, page: str, names: dict[str, object]) -> str:
    """What a block prints; an error that ends it as the last line of its traceback."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, page, "exec"), names)
        except Exception as error:
            kind = type(error)
            print(f"{kind.__module__}.{kind.__name__}: {error}")
    return out.getvalue()


def commanded(text: str) -> str:
    """What the commands `cotree ...` of a shell block print."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for line in text.splitlines():
            if line.startswith("cotree "):
                main(shlex.split(line, comments=True)[1:])
    return out.getvalue()


def results(page: str) -> list[tuple[str, str, str | None]]:
    """(code, printed, shown) for each Python block, and for commands whose output is shown; shown: the text block that
    follows, None without one. Blocks that begin with a file's name in a comment become that file."""
    found, names, all_blocks = [], {"__name__": "__main__"}, blocks(page)
    for k, (language, text) in enumerate(all_blocks):
        following = all_blocks[k + 1] if k + 1 < len(all_blocks) else ("", "")
        shown = following[1] if following[0] == "text" else None
        if language == "python":
            found.append((text, printed(text, page, names), shown))
        elif language == "sh" and shown is not None:
            found.append((text, commanded(text), shown))
        elif file := FILE.match(text):
            Path(file[1]).write_text(text, encoding="utf-8")
    return found


def words(text: str) -> list[str]:
    return NUMBER.sub("#", text).split()


def numbers(text: str) -> list[float]:
    return [float(x) for x in NUMBER.findall(COUNTS.sub("", text))]


def alike(a: float, b: float) -> bool:
    """Numbers to five per cent, tiny ones in any case."""
    return abs(a - b) <= 0.05 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < TINY
