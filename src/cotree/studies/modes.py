"""Modes of a linearized mechanism as motions to look at: closed configurations of one oscillation, a page and a live view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.constraints.units import length_of
from cotree.errors import AssemblyError, ShapeError, StudyError
from cotree.kinematics.coordinates import displace
from cotree.kinematics.poses import poses
from cotree.lie import log_so3
from cotree.model.checks import positive, shown
from cotree.view.page.modes import Played, write_modes_page
from cotree.view.scene.frames import periodic
from cotree.view.scene.reference import mass_centres

if TYPE_CHECKING:
    from cotree.studies.linearization import Linearization

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
FRAMES = 32  # of one oscillation
PERIOD = 2.0  # s that one oscillation of any mode takes where it is shown
TURN, MOVE = 0.3, 0.15  # usual amplitude: rad, and parts of the mechanism's size, of the body that moves most
TRIED = 20  # halvings of the usual amplitude where loops do not close
BESIDE = 0.3  # of the amplitude: loops that close farther from the mode than this have closed in another way
SLOW = (
    1e-6  # of the largest eigenvalue: below, a frequency or a growth is zero (rounding spreads a double zero by 1e-8)
)


@dataclass(frozen=True, eq=False)
class Mode:
    """column: of `Linearization.modes`; eigenvalue: its exponent [1/s]; frequency [Hz] and damping ratio; shape (nv,)."""

    column: int
    eigenvalue: complex
    frequency: float
    damping: float
    shape: Complex

    def __str__(self) -> str:
        if self.eigenvalue.imag:
            return f"{self.frequency:.4g} Hz, damping {self.damping + 0.0:.3g}"
        rate = self.eigenvalue.real
        if rate == 0.0:
            return "no oscillation, free"
        return f"no oscillation, {'doubles' if rate > 0.0 else 'halves'} in {np.log(2.0) / abs(rate):.4g} s"


def modes_of(linear: Linearization) -> tuple[Mode, ...]:
    """Those that move bodies, one of each conjugate pair: oscillations, slow ones first, then the others, free motions last."""
    values, shapes, found = linear.exponents, linear.modes, list[Mode]()
    lasting = np.isfinite(values)  # in a sampled system others are gone after one period
    small = SLOW * max(1.0, float(np.abs(values[lasting]).max(initial=0.0)))
    for k, x in enumerate(values):
        if not lasting[k] or x.imag < -small or not np.abs(shapes[:, k]).any():
            continue
        rounded = complex(x.real if abs(x.real) > small else 0.0, x.imag if x.imag > small else 0.0)
        found.append(Mode(k, rounded, float(linear.frequencies[k]), float(linear.damping[k]), shapes[:, k]))
    return tuple(sorted(found, key=lambda mode: (not mode.eigenvalue.imag, mode.eigenvalue == 0.0)))


def motion_of(linear: Linearization, column: Any, amplitude: Any = None, frames: int = FRAMES) -> Array:
    """(frames, nq): closed configurations of one oscillation; see `Linearization.motion`."""
    shape = linear.modes[:, _column(linear, column)]
    if not np.abs(shape).any():
        raise StudyError(f"mode {column} does not move any body; its velocities alone depart from the state")
    if isinstance(frames, bool) or not isinstance(frames, (int, np.integer)) or frames < 2:
        raise ShapeError(f"frames is {shown(frames)}; give the number of configurations of one oscillation, at least 2")
    turns = np.exp(2j * np.pi * np.arange(frames) / frames)
    if amplitude is not None:
        swing = positive(amplitude, "amplitude", "motion of a mode")
        found = _closed(linear, swing, shape, turns)
        if found is None:
            raise StudyError(f"mode {column}: the loops do not close at an amplitude of {swing:g}; give a smaller one")
        return found
    swing = usual_amplitude(linear, shape)
    for _ in range(TRIED):
        found = _closed(linear, swing, shape, turns)
        if found is not None:
            return found
        swing *= 0.5
    raise StudyError(f"mode {column}: the loops do not close along it at any amplitude that can be seen")


def _column(linear: Linearization, given: Any) -> int:
    count = linear.modes.shape[1]
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not -count <= given < count:
        raise ShapeError(f"mode is {shown(given)}; give the number of one of the {count} columns of linear.modes")
    return int(given)


def _closed(linear: Linearization, swing: float, shape: Complex, turns: Complex) -> Array | None:
    """None where loops do not close, or not near the mode."""
    system, out = linear.system, []
    for turn in turns:
        q = displace(system, linear.q, swing * (shape * turn).real)
        if system.n_constraints:
            try:
                closed = assemble(system, q, t=linear.t, restarts=0)
            except AssemblyError:
                return None
            if np.abs(closed - q).max() > BESIDE * swing:
                return None
            q = closed
        out.append(q)
    return np.array(out)


def usual_amplitude(linear: Linearization, shape: Complex) -> float:
    """Of a shape whose largest coordinate is one: that at which what moves most can well be seen."""
    system, small = linear.system, 1e-6
    here, turn, move = poses(system, linear.q), 0.0, 0.0
    com = mass_centres(system, np.zeros(3))
    for part in (shape.real, shape.imag):
        there = poses(system, displace(system, linear.q, small * part))
        R = np.swapaxes(here[:, :3, :3], 1, 2) @ there[:, :3, :3]
        shift = np.einsum("nij,nj->ni", there - here, np.column_stack([com, np.ones(len(com))]))[:, :3]
        turn = max(turn, float(np.linalg.norm(log_so3(R), axis=1).max()) / small)
        move = max(move, float(np.linalg.norm(shift, axis=1).max()) / small)
    return min(TURN / max(turn, 1e-12), MOVE * length_of(system) / max(move, 1e-12))


def played(linear: Linearization, amplitude: Any = None) -> tuple[list[Played], list[str]]:
    """All modes as frames with their names and words, and notes about those that cannot be played."""
    out, notes = list[Played](), list[str]()
    for number, mode in enumerate(modes_of(linear), start=1):
        try:
            q = motion_of(linear, mode.column, amplitude)
        except StudyError as error:
            notes.append(f"{number}. {mode}: not shown, {error}")
            continue
        parts = {n: (abs(x), float(np.angle(x))) for n, x in zip(linear.system.v_names, mode.shape, strict=True)}
        out.append(Played(f"{number}. {mode}", periodic(linear.system, q, PERIOD), parts))
    if not out:
        raise StudyError(" ".join(["no mode of this linearization moves a body; there is nothing to play", *notes]))
    return out, notes


def words_of(linear: Linearization) -> str:
    about = "a rest position or steady motion" if linear.steady else "a state that is not steady"
    return (
        f"small motions about {about}, {len(linear.A)} states\n"
        f"each mode is shown with one oscillation in {PERIOD:g} s, without its growth or decay, loops closed at each frame"
    )


def write_page(linear: Linearization, path: Any, amplitude: Any = None) -> None:
    """See `Linearization.html`."""
    found, notes = played(linear, amplitude)
    write_modes_page(linear.system, found, words_of(linear), notes, path)


def view_modes(linear: Linearization, amplitude: Any, port: Any, open: Any, wait: Any, host: str) -> Any:
    """See `Linearization.view`."""
    from cotree.view.live.swinging import ModesViewer

    found, notes = played(linear, amplitude)
    viewer = ModesViewer(linear.system, found, "\n".join([words_of(linear), *notes]), host, port)
    viewer.play()
    viewer.show(open, wait)
    return viewer
