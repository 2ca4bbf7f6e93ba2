"""`Run`: what a simulation gives back, and its certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from cotree._suggested import Suggesting
from cotree.constraints.violations import position_violations, velocity_violations
from cotree.dynamics.api import energy
from cotree.errors import ArgumentError, RunWarning, UnknownNameError
from cotree.integrate.checks.run_warnings import judged
from cotree.integrate.contacts.history import ContactHistory, ContactReading, Impact
from cotree.integrate.events.crossings import Crossing
from cotree.integrate.events.event import Occurrence
from cotree.integrate.phases.phase import Phase, Switch
from cotree.integrate.results.certificate import certificate
from cotree.integrate.results.partitions import Partition, partitions_of
from cotree.integrate.results.run_sensors import sensors_of
from cotree.integrate.settings import Settings
from cotree.kinematics.poses import poses
from cotree.model.checks import shown
from cotree.model.functions import unknown_constraints
from cotree.sensors.readable import Readable
from cotree.sensors.sensors import Sensors
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from cotree.integrate.checks.accuracy import Accuracy
    from cotree.view.live.playing import RunViewer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EnergyHistory:
    """Joules at each time; since the start: supplied by loads, motors and drivers, dissipated by dampers and brakes, and lost
    in impacts, where constraints closed or stops were hit."""

    kinetic: Array
    potential: Array
    supplied: Array
    dissipated: Array
    lost: Array

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential

    def __repr__(self) -> str:
        if not len(self.kinetic):
            return "<EnergyHistory: no times>"
        parts = {"kinetic": self.kinetic, "potential": self.potential, "supplied": self.supplied,
                 "dissipated": self.dissipated, "lost": self.lost}  # fmt: skip
        words = ", ".join(f"{name} {x[0]:.6g} to {x[-1]:.6g}" for name, x in parts.items())
        return f"<EnergyHistory [J]: {words}; {len(self.kinetic)} times>"

    @property
    def balance(self) -> Array:
        """Error of the energy balance: change of the total minus what was supplied plus what was dissipated and lost."""
        spent = self.dissipated + self.lost - self.supplied
        return self.total - self.total[:1] + spent - spent[:1]


@dataclass(frozen=True, eq=False)
class Run(Readable, Suggesting):
    """A simulated motion, as `simulate` returns it.

    Arrays have one row per time of `t`. `print(run)` shows status, energy balance, closure,
    accuracy and warnings.

    Attributes
    ----------
    system : System
        The system.
    t : ndarray of shape (T,)
        Times [s].
    q : ndarray of shape (T, nq)
        Coordinates; `system.q_names` names them.
    v : ndarray of shape (T, nv)
        Velocities; `system.v_names` names them.
    status : str
        "done", "event" (a terminal one), "interrupted" or "failed".
    message : str
        Why a run ended early.
    statistics : dict
        Counts and largest errors by name.
    settings : Settings
        The options of the run.
    events : tuple
        What happened when: `.name`, `.t`, `.q`, `.v`.
    crossings : tuple
        Singular configurations on the way.
    work : ndarray of shape (T, 3)
        Energy supplied, dissipated and lost [J].
    phases : tuple
        The topology in force, where there are locks and the like.
    noted : tuple of RunWarning
        Warnings of the run itself; `warnings` has all.
    states : ndarray of shape (T, n)
        States of laws; `system.state_names` names them.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
    >>> run.status, run.q.shape
    ('done', (201, 3))
    """

    synonyms: ClassVar[Mapping[str, str]] = {
        "position": "point(body, point).position", "positions": "q",
        "coordinates": "q", "x": "q", "y": "q", "velocity": "point(body, point).velocity", "velocities": "v",
        "qdot": "v", "time": "t", "times": "t", "acceleration": "joint(name).acceleration", "forces": "element(name)",
        "torque": "element(name)", "force": "element(name).force", "angle": "joint(name).angle", "rate": "joint(name).rate",
        "angles": "joint(name).angle", "power": "element(name).power",
        "length": "element(name).length", "trajectory": "point(body, point).position",
        "rotation": "orientation(body)", "com": "point(body).position", "kinetic": "energy.kinetic",
        "potential": "energy.potential", "error": "accuracy",
        "success": "status", "tocsv": "to_dataframe().to_csv(path)",
        "csv": "to_dataframe().to_csv(path)", "animate": "view", "show": "view", "dataframe": "to_dataframe",
        "topandas": "to_dataframe", "pose": "poses", "mechanism": "system.mechanism", "tohtml": "html",
    }  # fmt: skip
    system: System = field(repr=False)
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    status: str
    message: str
    statistics: dict[str, Any]
    settings: Settings = field(default_factory=Settings, repr=False)
    events: tuple[Occurrence, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    work: Array = field(default_factory=lambda: np.zeros((0, 3)), repr=False)  # (k, 3): supplied, dissipated, lost
    phases: tuple[Phase, ...] = field(
        default=(), repr=False
    )  # the topology in force, where there are locks and the like
    noted: tuple[RunWarning, ...] = field(default=(), repr=False)  # while it was made; `warnings` has all
    states: Array = field(
        default_factory=lambda: np.zeros((0, 0)), repr=False
    )  # (k, n) of laws, see system.state_names
    contacts: ContactHistory | None = field(default=None, repr=False)  # at the rows; read it by `contact(name)`
    impacts: tuple[Impact, ...] = field(default=(), repr=False)  # of contacts, in their order

    @cached_property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What should be known before the run is trusted.

        Each warning has a `kind`, a text and, where it belongs to one, a time `t`.
        """
        return (*self.noted, *judged(self))

    @cached_property
    def accuracy(self) -> Accuracy:
        """Estimated error of the positions, `.position` [m] and `.angle` [rad].

        It is found by a second run with coarser steps, which is made when this is first read.
        """
        found: Accuracy = _upstairs("cotree.integrate.checks.accuracy", "accuracy")(self)
        return found

    def trusted(self) -> Run:
        """Return the run itself, or raise an error if there is reason to doubt it.

        Returns
        -------
        Run
            The run.

        Raises
        ------
        UntrustedRunError
            If it failed or has warnings.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1).trusted()
        """
        found: Run = _upstairs("cotree.integrate.checks.run_warnings", "trusted")(self)
        return found

    @cached_property
    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at each time, and the work done."""
        kinetic, potential = self._energies()
        lost = self.work[:, 2] if self.work.shape[1] > 2 else np.zeros(len(self.work))
        return EnergyHistory(kinetic, potential, self.work[:, 0], self.work[:, 1], lost)

    def _energies(self) -> tuple[Array, Array]:
        """(kinetic, potential) at each time; of a run that was made on lanes on lanes, for which the code is compiled."""
        if self.of_lanes:
            both = energy(self.system, self.q, self.v)
            return np.asarray(both.kinetic), np.asarray(both.potential)
        found = [energy(self.system, q, v) for q, v in zip(self.q, self.v, strict=True)]
        return np.array([e.kinetic for e in found]), np.array([e.potential for e in found])

    @property
    def of_lanes(self) -> bool:
        """Whether the run was made on lanes, among others."""
        return "steps_on_lanes" in self.statistics and len(self.t) > 0

    @cached_property
    def violation(self) -> Array:
        """Largest entry of the constraint residual at each time, over all rows, also those that regularization dropped."""
        return self._by_system(lambda s, k: position_violations(s, self.q[k], self.t[k]))

    @cached_property
    def velocity_violation(self) -> Array:
        """Largest entry of J v - b at each time."""
        return self._by_system(lambda s, k: velocity_violations(s, self.q[k], self.v[k], self.t[k]))

    def _by_system(self, of: Callable[[System, slice], Array]) -> Array:
        """Something of all rows, by runs of rows that have one system."""
        found, first = [np.zeros(0)], 0
        for _, rows in groupby(self._checkable, key=id):
            own = list(rows)
            found.append(of(own[0], slice(first, first + len(own))))
            first += len(own)
        return np.concatenate(found)

    @cached_property
    def partitions(self) -> tuple[Partition, ...]:
        """Dependent coordinates at the rows, where stabilize="partition" chose them [Geo (67)]; one entry for each change."""
        return partitions_of(self)

    @cached_property
    def _checkable(self) -> list[System]:
        """The systems, without constraints of which cannot be known whether they hold, since their functions are missing."""
        unknown = frozenset(unknown_constraints(self.system.mechanism))
        if not unknown:
            return self.systems
        found = [ActiveSet(off=unknown).system(self.system)] * len(self.t)
        for phase in self.phases:
            first, end = phase.rows
            rest = replace(phase.topology, off=phase.topology.off | unknown).system(self.system)
            found[first:end] = [rest] * (end - first)
        return found

    @cached_property
    def systems(self) -> list[System]:
        """The system in force at each row: that of the run, or with what locks, docks and brakes hold then."""
        found = [self.system] * len(self.t)
        for phase in self.phases:
            first, end = phase.rows
            found[first:end] = [phase.system] * (end - first)
        return found

    def topology(self, t: float) -> tuple[str, ...]:
        """Describe the locks, docks and switched constraints that are active at a time.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        tuple of str
            One description each.

        Examples
        --------
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).topology(0.05)
        ()
        """
        inside = [p for p in self.phases if p.begin <= t]
        return inside[-1].names if inside else ()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The events at which the topology changed."""
        return tuple(e for e in self.events if isinstance(e, Switch))

    def poses(self) -> Array:
        """Compute the poses of the bodies at all times.

        Returns
        -------
        ndarray of shape (T, n_bodies + 1, 4, 4)
            As from `ct.poses`.

        Examples
        --------
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).poses().shape
        (201, 4, 4, 4)
        """
        return np.array([poses(self.system, q) for q in self.q])

    def contact(self, name: str) -> ContactReading:
        """Read what a contact did.

        Parameters
        ----------
        name : str
            The contact.

        Returns
        -------
        ContactReading
            `.gap`, `.force` on body_a, `.normal_force`, `.point`, `.slip`, `.state` ("open",
            "stick" or "slip") at each time; `.points` by name where it has several.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).contact("floor")
        Traceback (most recent call last):
            ...
        cotree.errors.UnknownNameError: ...
        """
        if self.contacts is None:
            why = f"its mechanism {self.system.mechanism.name!r} has none"
            if "contacts" in self.system.features:
                why = "its file does not have them, simulate again"
            raise UnknownNameError(f"there is no contact {shown(name)} in this run: {why}")
        return self.contacts.reading(name)

    def reactions(self, joint: str) -> Array:
        """Compute the reactions of a joint about the world's origin.

        Parameters
        ----------
        joint : str
            The joint.

        Returns
        -------
        ndarray of shape (T, 6)
            Moment and force [N m, N] that it transmits to its child, in world axes.

        See Also
        --------
        reaction : The same about the joint's own point.

        Examples
        --------
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).reactions("A").shape
        (201, 6)
        """
        found = self.reaction(joint, point=(0.0, 0.0, 0.0))
        return np.hstack([found.moment, found.force])

    @cached_property
    def sensors(self) -> Sensors:
        """What can be read of the run by name; `joint`, `point` and so on are its methods too."""
        return sensors_of(self)

    def resume(self, t_end: float, **options: Any) -> Run:
        """Continue the run with the same settings.

        Parameters
        ----------
        t_end : float
            End [s].
        **options : object
            `output`, `events` and `progress`, as for `simulate`; events are not kept in a run.

        Returns
        -------
        Run
            The whole run.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> float(run.resume(0.2).t[-1])
        0.2
        """
        return _upstairs("cotree.integrate.results.resume", "resume")(self, t_end, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write an HDF5 file with the model, settings and results.

        Parameters
        ----------
        path : str or path
            File to write.

        See Also
        --------
        load_run : Read it again.

        Examples
        --------
        >>> import tempfile
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).save(tempfile.mkdtemp() + "/run.h5")
        """
        _upstairs("cotree.io", "save_run")(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """Make a labelled dataset over time, with units.

        Returns
        -------
        xarray.Dataset
            Coordinates, velocities, energies and more.

        Examples
        --------
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).to_xarray().sizes["time"]
        201
        """
        return _upstairs("cotree.io", "to_xarray")(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """Make a table over time.

        Returns
        -------
        pandas.DataFrame
            Coordinates, velocities and energies.

        Examples
        --------
        >>> len(ct.simulate(ct.gallery.four_bar(), 0.1).to_dataframe())
        201
        """
        return _upstairs("cotree.io", "to_dataframe")(self)

    def switch_table(self) -> pandas.DataFrame:
        """Make a table of the changes of topology: when, what, energy lost, impulses.

        Returns
        -------
        pandas.DataFrame
            One row per change.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> lock = mech.lock("A", at=0.5)
        >>> len(ct.simulate(mech, 1.0).switch_table())
        1
        """
        return _upstairs("cotree.io", "switch_table")(self)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Plot coordinates, energies and violations over time, with events.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        Figure
            The figure of Matplotlib.

        Raises
        ------
        MissingPackageError
            Without Matplotlib.

        Examples
        --------
        >>> len(ct.simulate(ct.gallery.four_bar(), 0.1).plot().axes) > 2
        True
        """
        return _upstairs("cotree.view", "plot_run")(self, path)

    def html(
        self,
        path: str | PathLike[str],
        arrows: bool | str | Sequence[str] | None = None,
        compare: Run | Sequence[Run] | Mapping[str, Run] | None = None,
    ) -> None:
        """Write one HTML page that plays the run in a browser, with plots and certificate; it needs no network.

        Parameters
        ----------
        path : str or path
            File to write.
        arrows : bool, str or sequence of str, optional
            Forces to draw: True for all, "reactions", "forces" or names.
        compare : Run, sequence or dict, optional
            Other runs, drawn translucent in the scene and dashed in the plots.

        Examples
        --------
        >>> import tempfile
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).html(tempfile.mkdtemp() + "/four_bar.html")
        """
        _upstairs("cotree.view", "write_page")(self, path, arrows, compare)

    def picture(
        self,
        path: str | PathLike[str],
        t: float | None = None,
        size: tuple[int, int] = (720, 480),
        arrows: bool | str | Sequence[str] | None = None,
    ) -> None:
        """Write a picture of the run at a time.

        Parameters
        ----------
        path : str or path
            File (.png, .jpg, .webp).
        t : float, optional
            Time [s]; the first by default.
        size : tuple of int, optional
            Width and height in pixels.
        arrows : bool, str or sequence of str, optional
            Forces to draw: True for all, "reactions", "forces" or names.

        Raises
        ------
        MissingPackageError
            Without Pillow.

        Examples
        --------
        >>> import tempfile
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).picture(tempfile.mkdtemp() + "/four_bar.png", size=(72, 48))
        """
        _upstairs("cotree.view.movie", "write_picture")(self, path, t, None, size, arrows)

    def movie(
        self,
        path: str | PathLike[str],
        fps: float = 25.0,
        speed: float = 1.0,
        size: tuple[int, int] = (720, 480),
        arrows: bool | str | Sequence[str] | None = None,
    ) -> None:
        """Write a film of the run.

        Parameters
        ----------
        path : str or path
            File: .gif or .webp (by Pillow), .mp4 (by imageio and ffmpeg).
        fps : float, optional
            Pictures per second.
        speed : float, optional
            Seconds of the run per second of the film.
        size : tuple of int, optional
            Width and height in pixels.
        arrows : bool, str or sequence of str, optional
            Forces to draw: True for all, "reactions", "forces" or names.

        Raises
        ------
        MissingPackageError
            Without Pillow or imageio.

        Examples
        --------
        >>> import tempfile
        >>> ct.simulate(ct.gallery.four_bar(), 0.1).movie(tempfile.mkdtemp() + "/four_bar.gif", size=(72, 48))
        """
        _upstairs("cotree.view.movie", "write_movie")(self, path, fps, speed, size, arrows)

    def view(
        self, port: int | None = None, open: bool | None = None, wait: bool | None = None, host: str = "127.0.0.1"
    ) -> RunViewer:
        """Play the run live in the browser.

        Parameters
        ----------
        port : int, optional
            Port; by default the first that is free from 8080 on.
        open : bool, optional
            Open a browser; by default everywhere but in a notebook.
        wait : bool, optional
            Stay until Ctrl-C; by default in a script that opened a browser.
        host : str, optional
            "0.0.0.0" to be seen from other machines, by whoever has the address, which contains
            a secret; it is not encrypted.

        Returns
        -------
        RunViewer
            With `.url`, `.time` (which may be set), `.play()`, `.pause()`, `.close()`.

        Raises
        ------
        MissingPackageError
            Without viser: pip install 'cotree[view]'.
        """
        return _upstairs("cotree.view.live", "view_run")(self, port, open, wait, host)

    def __getitem__(self, name: Any) -> Never:
        """Explains how results are read."""
        raise ArgumentError(f"results of a run are not read by [{shown(name)}]; use {_reading(self.system, name)}")

    def __str__(self) -> str:
        return certificate(self)

    def __repr__(self) -> str:
        span = f", {self.t[0]:g} to {self.t[-1]:g} s in {len(self.t)} rows" if len(self.t) else ""
        noted = f", {len(self.noted)} warning{'s' * (len(self.noted) != 1)}" if self.noted else ""
        why = f" ({self.message})" if self.message else ""
        name = self.system.name or "mechanism"
        return f"<Run of {name!r}: {self.status}{why}{span}{noted}; print(run) shows its checks>"

    def _repr_html_(self) -> str:
        return str(_upstairs("cotree.view.notebook", "run_html")(self))


def _upstairs(module: str, name: str) -> Any:
    """A function of a higher layer, which a run offers as a method; loaded when it is called."""
    return getattr(import_module(module), name)


def _reading(system: System, name: Any) -> str:
    """How to read what has this name."""
    if isinstance(name, str):
        if name in system.joint_names:
            return f"run.joint({name!r}) or run.reaction({name!r})"
        if name in system.body_names:
            return f"run.point({name!r})"
        return "run.joint(name), run.point(body, point) or run.element(name)"
    return "run.q and run.v, whose rows belong to the times run.t"
