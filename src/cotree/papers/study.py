"""What an example of a paper comes to: comparisons, each with a verdict in words and with checks that can fail."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cotree.errors import ChoiceError, StudyError

VERDICTS = ("agrees", "agrees qualitatively", "differs")
DOTS_PER_INCH = 110


@dataclass(frozen=True)
class Comparison:
    """One figure, table or statement of a paper beside ours.

    where: as the paper counts, "Figure 3", "Table 1", "Section 5.1". paper: what it states. ours: what was found, with
    figures and units. reason: why the verdict is not just "agrees". checks: {words: held}. picture: PNG, or nothing.
    """

    where: str
    quantity: str
    paper: str
    ours: str
    verdict: str
    reason: str
    checks: dict[str, bool]
    picture: bytes = b""

    @property
    def holds(self) -> bool:
        """Whether every check held; a verdict is worth nothing where one did not."""
        return all(self.checks.values())


@dataclass
class Study:
    """An example of a paper, run: `name` ("lie/heavy_top"), `settings` of the runs, and the comparisons made with them."""

    name: str
    title: str
    settings: str
    comparisons: list[Comparison] = field(default_factory=list)

    def compare(
        self, where: str, quantity: str, *, paper: str, ours: str, checks: Mapping[str, Any], verdict: str = "agrees",
        reason: str = "", figure: Any = None,
    ) -> Comparison:  # fmt: skip
        """Add a comparison; `figure` is a matplotlib figure, which is drawn and closed."""
        said = f"{self.name}, {where}"
        if verdict not in VERDICTS:
            raise ChoiceError(f"{said}: verdict {verdict!r} is not one of {', '.join(map(repr, VERDICTS))}")
        if not checks:
            raise StudyError(f"{said}: a comparison without checks cannot fail; give checks={{'what must hold': held}}")
        if verdict != "agrees" and not reason:
            raise StudyError(f"{said}: explain in reason= why this is not simply 'agrees'")
        held = {words: bool(value) for words, value in checks.items()}
        made = Comparison(where, quantity, paper, ours, verdict, reason, held, drawn(figure))
        self.comparisons.append(made)
        return made

    @property
    def holds(self) -> bool:
        """Whether every check of every comparison held."""
        return bool(self.comparisons) and all(c.holds for c in self.comparisons)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title}", f"  {self.settings}"]
        for c in self.comparisons:
            lines.append(f"  {c.where}, {c.quantity}: {c.verdict if c.holds else 'CHECK FAILED'}")
            lines += [f"    paper: {c.paper}", f"    ours:  {c.ours}"]
            lines += [f"    why:   {c.reason}"] if c.reason else []
            lines += [f"    [{'held' if held else 'FAILED'}] {words}" for words, held in c.checks.items()]
        return "\n".join(lines)


def drawn(figure: Any) -> bytes:
    """PNG of a matplotlib figure, which is closed; nothing for None."""
    if figure is None:
        return b""
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, bbox_inches="tight")
    plt.close(figure)
    return buffer.getvalue()
