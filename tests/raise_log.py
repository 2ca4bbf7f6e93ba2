"""Which raise statements ran in a test session: a plugin that fails a whole run in which one of them did not.

Every error of a package derives from one base class; while tests run, that class notes the lines being executed when an
error is made. Raising anything else, and raising inside compiled code, goes unnoted and is reported like a raise without
a test. Runs of a part of the tests are not judged.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Line = tuple[str, int]


def raise_statements(root: Path) -> Iterator[tuple[str, int, int]]:
    """(file, first line, last line) of each raise below root; one that passes an error on, bare or by the name of a
    variable, does not count."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None and not _is_variable(node.exc):
                yield path.relative_to(root).as_posix(), node.lineno, node.end_lineno or node.lineno


def _is_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.islower()


def lines_in(root: Path) -> set[Line]:
    """Lines below root that are being executed, innermost call or not."""
    frame, found = sys._getframe(1), set()
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(str(root)):
            found.add((Path(file).relative_to(root).as_posix(), frame.f_lineno))
        frame = frame.f_back
    return found


def note_errors(base: type[Exception], root: Path) -> set[Line]:
    """Make the base class of a package's errors note where they are made; returns the growing set of lines."""
    lines: set[Line] = set()

    def noting(self: Exception, *args: Any, **kwargs: Any) -> None:
        super(base, self).__init__(*args, **kwargs)
        lines.update(lines_in(root))

    base.__init__ = noting  # type: ignore[method-assign]
    return lines


class EveryRaise:
    """The plugin: merges what the workers noted and judges the whole run."""

    def __init__(self, config: pytest.Config, root: Path, base: type[Exception], tests: Path) -> None:
        self.config, self.root, self.tests = config, root.resolve(), tests.resolve()
        self.lines = note_errors(base, self.root)

    def missing(self) -> list[str]:
        """Raise statements without a noted line."""
        return [
            f"{file}:{first}"
            for file, first, last in raise_statements(self.root)
            if not any((file, line) in self.lines for line in range(first, last + 1))
        ]

    def is_whole(self, session: pytest.Session) -> bool:
        """Whether all tests were asked for and had their turn."""
        o = self.config.option
        chosen = (
            o.keyword or o.markexpr not in ("", "not long") or o.deselect or o.ignore or o.ignore_glob or o.collectonly
        )
        stopped = session.shouldstop or session.shouldfail or session.exitstatus not in (0, 1)
        return not chosen and not stopped and {Path(a).resolve() for a in self.config.args} <= {self.tests, Path.cwd()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended."""
        self.lines.update(map(tuple, getattr(node, "workeroutput", {}).get("raised", ())))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["raised"] = sorted(self.lines)
        elif self.is_whole(session) and (missing := self.missing()):
            self.fail(session, missing)

    def fail(self, session: pytest.Session, missing: list[str]) -> None:
        """Add a failed test to the session's report."""
        name = "every raise has a test"
        text = "\n".join(["no test reaches these raises, or they raise no error of the package:", *missing])
        report = pytest.TestReport(name, (name, None, name), {}, "failed", text, "call")
        self.config.hook.pytest_runtest_logreport(report=report)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
