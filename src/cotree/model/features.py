"""What a system contains, as data: its features; and what each consumer of systems makes of them.

A study, a run, a method, a file format is a consumer. It declares beside its definition (`declare`) which features it
leaves out, with a warning, and which it refuses, by their names or by their kinds; all others it handles. `Consumer.admit`
is the one function that warns and refuses, in one wording. A new feature is a row below: consumers that refuse its kind
refuse it too. docs/features.md is made from the declarations.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cotree.errors import CotreeError, StudyError, StudyWarning
from cotree.model.constraints import Conserve, Motion, UserRows
from cotree.model.contacts import Contact, FunctionContact
from cotree.model.force_elements import BeamChain
from cotree.model.forces import UserFunction
from cotree.model.functions import functions_of, word_of
from cotree.model.mechanism import Mechanism
from cotree.model.pid import PID
from cotree.model.switches import Brake, Breaking, Dock, Impulse, JointImpulse, Limit, Lock
from cotree.model.time_laws import TimeLaw

SHOWN = 3  # elements that a message names
Finder = Callable[[Mechanism, Collection[str]], Iterable[str]]  # elements of a mechanism whose named joints are cut


class Feature(NamedTuple):
    """kind: what consumers may declare several by; find: names of the elements that have it."""

    name: str
    kind: str
    meaning: str
    find: Finder


def _devices(*classes: type) -> Finder:
    return lambda mech, cut: (n for n, d in mech.devices.items() if isinstance(d, classes))


def _constraints(judge: Callable[[Any], bool]) -> Finder:
    return lambda mech, cut: (n for n, c in mech.constraints.items() if judge(c))


def _laws(judge: Callable[[UserFunction], Any]) -> Finder:
    """Motors, loads and elements whose function is such."""

    def find(mech: Mechanism, cut: Collection[str]) -> Iterable[str]:
        given = [(n, x.value) for n, x in mech.loads.items()] + [(n, x.torque) for n, x in mech.joint_forces.items()]
        given += [(n, getattr(x, "value", None)) for n, x in mech.elements.items()]
        return (n for n, law in given if isinstance(law, UserFunction) and judge(law))

    return find


def _moved_over_time(mech: Mechanism) -> Iterator[str]:
    """Constraints whose prescribed value is a law over time."""
    motions = ((n, getattr(c, "motion", getattr(c, "length", None))) for n, c in mech.constraints.items())
    return (n for n, motion in motions if isinstance(motion, Motion) and isinstance(motion.value, TimeLaw))


def _switched(*families: str) -> Finder:
    return lambda mech, cut: (a.target for a in mech.actions if any(a.target in getattr(mech, f) for f in families))


def _all(family: str) -> Finder:
    return lambda mech, cut: getattr(mech, family)


_ROWS: tuple[tuple[str, str, str, Finder], ...] = (
    ("locks", "switches", "joints that are locked in a run", _devices(Lock)),
    ("brakes", "switches", "brakes and dry friction in joints, which hold or slide", _devices(Brake)),
    ("stops", "switches", "limits of joints, which are hit", _devices(Limit)),
    ("docks", "switches", "joints that close where their two sides meet", _devices(Dock)),
    ("impulses", "switches", "blows on bodies and along joints", _devices(Impulse, JointImpulse)),
    ("breaking parts", "switches", "joints, constraints, locks and docks that give way at a load",
     lambda mech, cut: (d.target for d in mech.devices.values() if isinstance(d, Breaking))),
    ("contacts", "switches", "bodies that touch, with friction and rebound", _devices(Contact)),
    ("contacts by functions", "switches", "`mech.contact_function`: gaps that are Python functions", _devices(FunctionContact)),
    ("switched constraints", "switches", "joints and constraints that are switched on or off",
     _switched("joints", "constraints")),
    ("switched forces", "switches", "motors and loads that are switched on or off", _switched("motors_and_loads")),
    ("timed devices", "switches", "locks and their like that begin or end to act at a time or a condition",
     lambda mech, cut: (a.target for a in mech.actions if a.target in mech.devices and not a.trigger.at_start)),
    ("load-dependent friction", "friction", "friction that grows with what its joint transmits",
     lambda mech, cut: (n for n, d in mech.devices.items() if isinstance(d, Brake) and d.coefficient > 0.0)),
    ("laws with states", "laws", "laws of forces with states of their own",
     _laws(lambda law: law.states and not law.sampled)),
    ("sampled laws", "laws", "laws that are evaluated at instants, and hold their value",
     _laws(lambda law: law.sampled)),
    ("switching laws", "laws", "laws with switching functions", _laws(lambda law: law.switching)),
    ("controllers", "functions", "`mech.pid`, and forces with a `ct.PID`",
     _laws(lambda law: isinstance(law.law, PID))),
    ("functions of the state", "functions", "forces that are functions of positions or velocities",
     _laws(lambda law: set(law.arguments) - {"t"})),
    ("laws over time", "time", "drives, forces and targets that are laws over time by numbers",
     lambda mech, cut: dict.fromkeys((*_laws(lambda law: law.time_laws)(mech, cut), *_moved_over_time(mech)))),
    ("user functions", "functions", "Python functions in forces, drives, constraints and conditions",
     lambda mech, cut: (use.name for use in functions_of(mech))),
    ("user rows", "rows", "constraints that are Python functions", _constraints(lambda c: isinstance(c, UserRows))),
    ("non-holonomic rows", "rows", "rolling, knife edges and other constraints on velocities",
     _constraints(lambda c: not all(c.holonomic))),
    ("conserved quantities", "rows", "momenta that are kept", _constraints(lambda c: isinstance(c, Conserve))),
    ("drives", "rows", "joints whose motion is prescribed", _constraints(lambda c: c.word == "drive")),
    ("springs", "forces", "springs between points of bodies", _all("springs")),
    ("loads", "forces", "forces and torques on bodies", _all("loads")),
    ("force elements", "forces", "tyres, bushings, ropes and other elements of registered kinds", _all("elements")),
    ("beams", "forces", "links that bend",
     lambda mech, cut: (n for n, e in mech.elements.items() if isinstance(e, BeamChain))),
    ("springs on cut joints", "forces", "joint springs on joints that are not in the spanning tree",
     lambda mech, cut: (n for n, f in mech.joint_forces.items()
                        if f.joint in cut and (f.stiffness or f.elastic is not None))),
)  # fmt: skip
FEATURES = {row[0]: Feature(*row) for row in _ROWS}


class Features(Set[str]):
    """Names of the features of a system, a set that cannot be changed; printed, each with its meaning and elements."""

    def __init__(self, mech: Mechanism, cut: Collection[str] = (), only: Collection[str] | None = None) -> None:
        """only: those that count of the elements that switch."""
        self._mechanism, self._cut, self._elements = mech, cut, dict[str, tuple[str, ...]]()
        for f in FEATURES.values():
            names = dict.fromkeys(n for n in f.find(mech, cut) if only is None or f.kind != "switches" or n in only)
            if names:
                self._elements[f.name] = tuple(names)

    def switching(self, only: Collection[str]) -> Features:
        """The same with no other locks, brakes and their like than these."""
        return Features(self._mechanism, self._cut, only)

    def __contains__(self, feature: object) -> bool:
        return feature in self._elements

    def __iter__(self) -> Iterator[str]:
        return iter(self._elements)

    def __len__(self) -> int:
        return len(self._elements)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> frozenset[Any]:  # what & and | give
        return frozenset(it)

    @property
    def whose(self) -> str:
        """Name of the mechanism."""
        return self._mechanism.name

    def elements(self, feature: str) -> tuple[str, ...]:
        """Names of the elements that have a feature."""
        return self._elements.get(feature, ())

    def words(self, names: Collection[str]) -> str:
        """Elements as "lock 'L', brake 'B'"."""
        some = [f"{word_of(self._mechanism, n)} {n!r}" for n in list(names)[:SHOWN]]
        return ", ".join(some) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")

    def __str__(self) -> str:
        return "\n".join(f"{n}: {FEATURES[n].meaning} ({self.words(x)})" for n, x in self._elements.items())

    def __repr__(self) -> str:
        return f"<features of {self.whose!r}: {', '.join(self) or 'none'}>"


class Verdict(NamedTuple):
    """What a consumer makes of a feature: "handles", "leaves out" or "refuses", and why."""

    word: str
    reason: str = ""
    error: type[CotreeError] = StudyError


HANDLES = Verdict("handles")


@dataclass(frozen=True, eq=False)
class Consumer:
    """Something that takes systems, as users call it; with reasons, which features or kinds it leaves out and refuses.

    What it says of a feature counts more than what it says of its kind; `on`: consumers that it is built on, whose verdicts
    are its own where it says nothing."""

    name: str
    error: type[CotreeError] = StudyError
    refuses: Mapping[str, str] = field(default_factory=dict)
    leaves_out: Mapping[str, str] = field(default_factory=dict)
    handles: Collection[str] = ()
    on: tuple[Consumer, ...] = ()

    def verdict(self, feature: str) -> Verdict:
        """On a feature by its name."""
        for key in (feature, FEATURES[feature].kind):
            if key in self.refuses:
                return Verdict("refuses", self.refuses[key], self.error)
            if key in self.leaves_out:
                return Verdict("leaves out", self.leaves_out[key])
            if key in self.handles:
                return HANDLES
        others = (other.verdict(feature) for other in self.on)
        return next((verdict for verdict in others if verdict is not HANDLES), HANDLES)

    def admit(self, features: Features, stacklevel: int = 3) -> None:
        """Raise for what is refused, and warn of what is left out."""
        for verdict, text in sorted(self.objections(features), key=lambda x: x[0].word != "refuses"):
            if verdict.word == "refuses":
                raise verdict.error(text)
            warnings.warn(text, StudyWarning, stacklevel=stacklevel)

    def objections(self, features: Features) -> list[tuple[Verdict, str]]:
        """(verdict, words) of all that is not handled, one for each reason."""
        not_handled: dict[Verdict, list[str]] = {}
        for feature in features:
            if (verdict := self.verdict(feature)) is not HANDLES:
                not_handled.setdefault(verdict, []).append(feature)
        return [(verdict, self._text(verdict, features, names)) for verdict, names in not_handled.items()]

    def _text(self, verdict: Verdict, features: Features, names: list[str]) -> str:
        verb = "does not know" if verdict.word == "refuses" else "leaves out"
        elements = dict.fromkeys(n for name in names for n in features.elements(name))
        whose = f"{', '.join(names)} of mechanism {features.whose!r} ({features.words(elements)})"
        return f"{self.name} {verb} {whose}: {verdict.reason}"


CONSUMERS: dict[str, Consumer] = {}


def declare(
    name: str,
    error: type[CotreeError] = StudyError,
    *,
    refuses: Mapping[str, str] | None = None,
    leaves_out: Mapping[str, str] | None = None,
    handles: Collection[str] = (),
    on: tuple[Consumer, ...] = (),
) -> Consumer:
    """Enter a consumer into the table of what works with what."""
    kinds = {feature.kind for feature in FEATURES.values()}
    for key in (*(refuses or ()), *(leaves_out or ()), *handles):
        assert key in FEATURES or key in kinds, key
    CONSUMERS[name] = Consumer(name, error, refuses or {}, leaves_out or {}, handles, on)
    return CONSUMERS[name]


def admit_beams(consumer: Consumer, mech: Mechanism) -> None:
    """Raise for beams where a format cannot have them, before it is found that no joint leads to their nodes."""
    features = Features(mech)
    if "beams" in features:
        consumer.admit(features)
