"""What lies on the studio's bench: a mechanism, its posture, what was added to it, and its runs. No browser here."""

from __future__ import annotations

import copy
import tempfile
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree import gallery
from cotree.constraints.api import constraint_residual
from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.mobility import Mobility, mobility
from cotree.errors import ChoiceError, UnknownNameError
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.io.model_file import load, save
from cotree.io.step import EXTENSIONS as STEP
from cotree.kinematics.poses import poses
from cotree.model.checks import number, positive, shown
from cotree.model.mechanism import Mechanism
from cotree.model.naming import nearest, unknown
from cotree.studio.cad import CadFile, plain_name
from cotree.studio.dragging import Grip, pulled, within_limits
from cotree.system.system import System
from cotree.view.live.posing import single_coordinates, walked
from cotree.view.page.writing import page
from cotree.view.still_page import start_of, words_of

Array = NDArray[np.float64]
MOST_BYTES = 20 << 20  # of a model file that is opened
MOST_RUNS = 8  # that are kept
LONGEST = 1000.0  # seconds of a run
MOST_ADDED = 200  # elements
MOST_CAD_BYTES = 100 << 20
ENDINGS = (".json", ".yaml", ".yml", ".toml", ".urdf", ".sdf", ".xml")
KINDS = {  # what can be added, and what its number is at a joint that turns and at one that slides
    "motor": ("torque [N m]", "force [N]"),
    "spring": ("stiffness [N m/rad]", "stiffness [N/m]"),
    "damper": ("damping [N m s/rad]", "damping [N s/m]"),
}


def _no_source(damping: float, name: str) -> None:
    if damping < 0.0:
        raise ChoiceError(
            f"{name}: the damping is {damping:g}; a negative one would drive the motion in place of damping it; give a "
            f"positive number, or 0 to take it away"
        )


def _pushing(stiffness: float) -> str:
    return " (negative: it pushes away from its rest)" if stiffness < 0.0 else ""


class Bench:
    """A mechanism at work. Names and numbers come from a browser: all are checked."""

    def __init__(self, mech: Mechanism, name: str = "", cad: CadFile | None = None) -> None:
        self.mech, self.cad = copy.copy(mech), cad
        self.name = name or mech.name or "mechanism"
        self.runs: dict[str, Run] = {}
        self.settings: dict[str, str] = {}  # of each run, in words
        self.rates: dict[str, float] = {}  # of joints at the start
        self.added: dict[str, str] = {}  # name of an element: what it is, in words
        self.q = start_of(self.system)[1]

    @cached_property
    def system(self) -> System:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # they are in the report
            return self.mech.compile()

    # -- opening -----------------------------------------------------------------------------------------------

    @classmethod
    def of_gallery(cls, name: Any) -> Bench:
        return cls(gallery.named(str(name)), str(name))

    @classmethod
    def of_file(cls, path: Path) -> Bench:
        if path.suffix.lower() in STEP:
            return cls.of_cad(CadFile.read(path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what could not be read is in the notes
            return cls(load(path), path.stem)

    @classmethod
    def of_cad(cls, cad: CadFile) -> Bench:
        """Of a CAD assembly, with the choices that were made about it."""
        return cls(cad.mechanism(), cad.name, cad)

    @classmethod
    def of_bytes(cls, name: str, content: bytes) -> Bench:
        """Of a file that a browser sent: its ending counts, and what is harmless of its name."""
        ending = Path(name).suffix.lower()
        if ending not in (*ENDINGS, *STEP):
            known = ", ".join((*ENDINGS, *STEP))
            raise ChoiceError(f"{shown(name)} is not a model file; open one that ends with {known}")
        most = MOST_BYTES if ending in ENDINGS else MOST_CAD_BYTES
        if len(content) > most:
            raise ChoiceError(
                f"{shown(name)} has {len(content) >> 20} MB; the studio opens files of this kind up to {most >> 20} MB"
            )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{plain_name(Path(name).stem)}{ending}"
            path.write_bytes(content)
            made = cls.of_file(path)
        made.name = made.name if made.cad else made.mech.name or made.name
        return made

    # -- looking -----------------------------------------------------------------------------------------------

    def words(self) -> str:
        """Tree, loops, mobility, and notes of the file."""
        notes = "".join(f"\nnote: {note}" for note in self.mech.notes)
        return words_of(self.system, self.q) + notes

    def mobility(self) -> Mobility:
        return mobility(self.system, self.q)

    def closure(self) -> float:
        """Largest residual of the constraint equations at the posture [m, rad]."""
        return float(np.abs(constraint_residual(self.system, self.q)).max(initial=0.0))

    @property
    def coordinates(self) -> list[tuple[str, int, str]]:
        """(name, index in q, unit) of the joints that can be moved and driven."""
        return single_coordinates(self.system)

    # -- changing ----------------------------------------------------------------------------------------------

    def move(self, joint: str, value: float, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Move a joint with the loops closed; whether it got there."""
        i = self._place(joint)
        x, inside = number(value, "value", f"joint {joint!r}"), within_limits(self.system, self.q)
        self.q, there = walked(self.system, self.q, joint, i, x, stopped, inside)
        return there

    def grip(self, body: str, place: Array) -> Grip:
        """The point of a body that is at a place in the world [m]."""
        return Grip.at(self.system, self.q, body, place)

    def drag(self, grip: Grip, place: Array, stopped: Callable[[], bool] = lambda: False) -> float:
        """Pull a point of a body to a place with the loops closed; the distance left [m]."""
        inside = within_limits(self.system, self.q)
        self.q, left = pulled(self.system, self.q, grip, place, stopped=stopped, allowed=inside)
        return left

    def set_gravity(self, gravity: Any) -> None:
        """Gravity in world axes [m/s^2]."""
        self.mech.gravity = np.array([number(value, "gravity", f"mechanism {self.name!r}") for value in gravity])
        self._again()

    def add(self, kind: str, joint: str, value: float) -> str:
        """Add a motor, spring or damper to a joint, or change the one that is there; zero takes it away. Returns its name."""
        if kind not in KINDS:
            raise ChoiceError(f"{shown(kind)} cannot be added; choose one of {', '.join(KINDS)}")
        i, size = self._place(joint), number(value, "value", f"{kind} of joint {joint!r}")
        name = f"{kind} of {joint}"
        if kind == "damper":
            _no_source(size, name)
        self._take(name)
        if size:
            self._room()
            if kind == "motor":
                self.mech.motor(name, joint, size)
            elif kind == "spring":
                self.mech.joint_spring(name, joint, size, rest=float(self.q[i]))
            else:
                self.mech.joint_damper(name, joint, size)
            self.added[name] = f"{name}: {size:g}{_pushing(size) if kind == 'spring' else ''}"
        self._again()
        return name

    def tie(self, body_a: str, place_a: Any, body_b: str, place_b: Any, stiffness: float, damping: float = 0.0) -> str:
        """A spring between points of two bodies, ground among them, which are at these places in the world now [m]; at rest as
        it is. One for each pair of bodies: another one takes its place, and two zeros take it away. Returns its name."""
        name = f"spring from {body_a} to {body_b}"
        (a, x), (b, y) = self._end(body_a, place_a, name), self._end(body_b, place_b, name)
        k, c = number(stiffness, "stiffness", name), number(damping, "damping", name)
        length = float(np.linalg.norm(y - x))
        if body_a == body_b or length == 0.0:
            raise ChoiceError(f"{name}: choose two bodies, and two places apart from each other")
        _no_source(c, name)
        self._take(name)
        self._take(f"spring from {body_b} to {body_a}")
        if k or c:
            self._room()
            self.mech.spring(name, body_a, a, body_b, b, k, length=length, damping=c)
            self.added[name] = f"{name}: {k:g} N/m{_pushing(k)}, {c:g} N s/m, {length:.4g} m long"
        self._again()
        return name

    def _end(self, body: str, place: Any, name: str) -> tuple[Array, Array]:
        """(point of a body, in the frame of its data, place in the world) of an end of a spring."""
        self._require_body(body, ("ground", *self.mech.bodies))
        x = np.array([number(value, "place", name) for value in place])
        return (x if body == "ground" else self.grip(body, x).point), x

    @staticmethod
    def _require_body(name: str, known: tuple[str, ...]) -> None:
        if name not in known:
            raise UnknownNameError(unknown(name, "body", known, "the bodies are"))

    def centre(self, body: str) -> Array:
        """Where the mass centre of a body is now [m]; the origin for ground."""
        if body == "ground":
            return np.zeros(3)
        C = poses(self.system, self.q)[self.system.row_of(body)]
        return np.asarray(C[:3, :3] @ self.mech.bodies[body].properties.com + C[:3, 3])

    def push(self, body: str, force: Any) -> str:
        """A force [N] in world axes at the mass centre of a body; zero takes it away."""
        self._require_body(body, tuple(self.mech.bodies))
        x = [number(value, "force", f"load on body {body!r}") for value in force]
        name = f"load on {body}"
        self._take(name)
        if any(x):
            self._room()
            self.mech.force(name, body, tuple(x))
            self.added[name] = f"{name}: ({', '.join(f'{value:g}' for value in x)}) N"
        self._again()
        return name

    def set_rate(self, joint: str, value: float) -> None:
        """Rate of a joint at the start; zero leaves it to the others."""
        self._place(joint)
        rate = number(value, "rate", f"joint {joint!r}")
        self.rates.pop(joint, None)
        if rate:
            self.rates[joint] = rate

    def _place(self, joint: Any) -> int:
        places = {name: i for name, i, _ in self.coordinates}
        if joint not in places:
            raise UnknownNameError(f"there is no one-DOF joint {shown(joint)} in the tree{nearest(joint, places)}")
        return places[joint]

    def _take(self, name: str) -> None:
        """Take out what the studio has added under this name."""
        if name in self.added:
            for those in (self.mech.joint_forces, self.mech.loads, self.mech.springs):
                those.pop(name, None)
            del self.added[name]

    def _room(self) -> None:
        if len(self.added) >= MOST_ADDED:
            raise ChoiceError(
                f"{MOST_ADDED} elements were added, which is as many as the studio keeps; take one away with 0"
            )

    def _again(self) -> None:
        """The mechanism has changed: compile it anew; the posture stays, whatever the order of coordinates is now."""
        before = dict(zip(self.system.q_names, self.q, strict=True))
        self.__dict__.pop("system", None)
        names = self.system.q_names
        if tuple(before) != names:
            self.q = assemble(
                self.system, np.array([before.get(n, x) for n, x in zip(names, self.system.q0, strict=True)])
            )

    # -- running -----------------------------------------------------------------------------------------------

    def run(self, t_end: float, progress: Callable[[float], None] | None = None, rows: int = 401) -> tuple[str, Run]:
        """Simulate from the posture with the rates of the start; returns the run and its name."""
        end = positive(t_end, "end", "run")
        if end > LONGEST:
            raise ChoiceError(f"run: the end is {end:g} s; the studio runs up to {LONGEST:g} s")
        more: dict[str, Any] = {"v": dict(self.rates)} if self.rates else {}
        made = simulate(self.system, end, self.q, output=rows, progress=progress or False, **more)
        name = f"run {1 + max((int(key.split()[1]) for key in self.runs), default=0)}"
        self.runs[name], self.settings[name] = made, self.set_words() or "nothing set"
        while len(self.runs) > MOST_RUNS:
            oldest = next(iter(self.runs))
            del self.runs[oldest], self.settings[oldest]
        return name, made

    def set_words(self) -> str:
        """What was added to the model, and the rates at the start; empty if nothing."""
        rates = [f"start: rate of {name} {value:g}" for name, value in self.rates.items()]
        return "\n".join([*self.added.values(), *rates])

    # -- saving ------------------------------------------------------------------------------------------------

    def model_file(self) -> bytes:
        """The model as JSON, with the posture and the rates as its start."""
        kept = copy.copy(self.mech if self.cad is None else self.cad.without_files(self.mech))
        kept.q_start = self.q.copy()
        if self.rates:
            kept.v_start = consistent_velocity(self.system, self.q, dict(self.rates))
        return self._written("model.json", lambda path: save(kept, path))

    def run_file(self, name: str) -> bytes:
        return self._written("run.h5", self.run_named(name).save)

    def page_file(self, name: str, arrows: bool = False) -> bytes:
        """The page of a run, beside the others."""
        others = {key: run for key, run in self.runs.items() if key != name and len(run.t)}
        return page(self.run_named(name), arrows or None, others or None).encode("utf-8", "xmlcharrefreplace")

    def run_named(self, name: Any) -> Run:
        if not self.runs:
            raise ChoiceError("there is no run yet; press Run in the tab Run first")
        if name not in self.runs:
            raise UnknownNameError(f"there is no run {shown(name)}{nearest(name, self.runs)}")
        return self.runs[name]

    @staticmethod
    def _written(name: str, write: Callable[[Path], Any]) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / name)
            return (Path(folder) / name).read_bytes()
