"""The README's code runs and prints what the README shows."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    return out.getvalue()


@pytest.mark.parametrize("k", [k for k, (language, _) in enumerate(BLOCKS) if language == "python"])
def test_python_blocks(k):
    """Numbers may differ in their last digits from machine to machine: words and structure must agree."""
    shown = next((text for language, text in BLOCKS[k + 1 : k + 2] if language == "text"), "")

    def words(text):
        return re.sub(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", "#", text).split()

    assert words(printed(BLOCKS[k][1])) == words(shown)
