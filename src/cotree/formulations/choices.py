"""Formulations as values, each with its own options; what such values have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar

from cotree.model.checks import choice, several


@dataclass(frozen=True, repr=False)
class Choice:
    """A method, formulation or stabilization with its options. `word` is its name in the registry, which stands for the value
    with default options; `names`: how options are called in the settings of a run, where they are called otherwise."""

    word: ClassVar[str]
    names: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Choice:
        """The value whose options are these settings of a run; others are left out."""
        named = {f.name: cls.names.get(f.name, f.name) for f in fields(cls)}
        return cls(**{option: settings[name] for option, name in named.items() if name in settings})

    def __repr__(self) -> str:
        given = [(f.name, x) for f in fields(self) if (x := getattr(self, f.name)) != f.default]
        return f"ct.{type(self).__name__}({', '.join(f'{name}={x!r}' for name, x in given)})"

    @property
    def settings(self) -> dict[str, Any]:
        """The options by their names in the settings of a run."""
        return {self.names.get(f.name, f.name): getattr(self, f.name) for f in fields(self)}


def word_and_options(
    given: Any, kind: type[Choice], words: Iterable[str], what: str, synonyms: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, dict[str, Any]]:
    """The registered word of a choice that is given as a word or as a value of this kind, and the value's options."""
    if isinstance(given, kind):
        return choice(given.word, words, what), given.settings
    return choice(given, words, what, synonyms=synonyms), {}


class FormulationChoice(Choice):
    """A formulation with its options."""


class Index1(FormulationChoice):
    """Accelerations and multipliers from one system of equations (formulation="index1").

    Examples
    --------
    >>> ct.Index1().word
    'index1'
    """

    word = "index1"


class ProjectedEquations(FormulationChoice):
    """Equations of motion projected onto the admissible velocities (formulation="projection").

    Examples
    --------
    >>> ct.ProjectedEquations().word
    'projection'
    """

    word = "projection"


@dataclass(frozen=True, repr=False)
class Voronets(FormulationChoice):
    """Equations of motion in independent velocities (formulation="voronets").

    Parameters
    ----------
    independent : str or sequence of str, optional
        As many velocity coordinates as there are degrees of freedom: they alone are
        integrated, the others follow [Geo (54), (55)]. "auto" chooses them, and others
        where these become unsuitable. By default all velocities are integrated.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 0.1, v={"A": 1.5}, formulation=ct.Voronets(independent=["A"]))
    >>> run.settings.independent
    ('A',)
    """

    independent: str | Sequence[str] | None = None
    word = "voronets"

    def __post_init__(self) -> None:
        if self.independent is not None and not (isinstance(self.independent, str) and self.independent == "auto"):
            object.__setattr__(self, "independent", several(self.independent, "independent"))


class ODCA(FormulationChoice):
    """Divide and conquer (formulation="odca").

    Time and memory grow linearly with the numbers of bodies and loops.

    Examples
    --------
    >>> ct.ODCA().word
    'odca'
    """

    word = "odca"


FORMULATION_VALUES: dict[str, type[Choice]] = {x.word: x for x in (Index1, ProjectedEquations, Voronets, ODCA)}
