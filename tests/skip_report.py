"""How many tests were skipped, and why: printed at the end of a run."""

from __future__ import annotations

from collections import Counter
from typing import Any


def reasons(reports: list[Any]) -> Counter[str]:
    """Skips by their reasons."""
    found: Counter[str] = Counter()
    for report in reports:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[why.removeprefix("Skipped: ")] += 1
    return found


class Skips:
    """The plugin: one line for each reason, or a line that there were none."""

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        found = reasons(terminalreporter.stats.get("skipped", []))
        terminalreporter.write_line(f"{sum(found.values())} skipped" + (":" if found else ""))
        for why, count in found.most_common():
            terminalreporter.write_line(f"  {count} × {why}")
