"""How a linearized mechanism answers to oscillating inputs, and its picture: amplitude and phase over frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError, StudyError
from cotree.io.native.texts import package
from cotree.model.checks import floats, shown
from cotree.view.plots import finished

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
COUNT, WIDER = 400, 10.0  # frequencies by default; so much below and above the eigenfrequencies


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """frequencies [Hz]; response (frequencies, outputs, inputs): complex amplitudes of outputs for inputs of unit amplitude."""

    frequencies: Array
    response: Complex
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def magnitude(self) -> Array:
        """|response|."""
        return np.abs(self.response)

    @property
    def phase(self) -> Array:
        """Angle of the response [rad], continuous over frequency."""
        return np.asarray(np.unwrap(np.angle(self.response), axis=0), dtype=np.float64)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Amplitudes and phases of all outputs for all inputs (a Bode diagram); written to a file if a path is given."""
        package("matplotlib", "plot")
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 6.0), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for o, output in enumerate(self.outputs):
            for i, given in enumerate(self.inputs):
                above.loglog(self.frequencies, self.magnitude[:, o, i], label=f"{output} / {given}")
                below.semilogx(self.frequencies, np.degrees(self.phase[:, o, i]))
        above.set_ylabel("amplitude")
        below.set_ylabel("phase [degrees]")
        below.set_xlabel("frequency [Hz]")
        above.legend(fontsize="small")
        for panel in (above, below):
            panel.grid(alpha=0.3, which="both")
        return finished(figure, path, dpi=120)


def frequency_response(linear: Any, frequencies: ArrayLike | None) -> FrequencyResponse:
    """C (s - A)^-1 B + D of a `Linearization`, at frequencies [Hz] or around its eigenfrequencies: s = i w, or exp(i w period)
    of a sampled one, up to half the frequency of its instants."""
    if not linear.inputs:
        raise StudyError("there are no inputs to respond to; add a motor, or name forces: linearize(..., inputs=[...])")
    f = _default(linear) if frequencies is None else floats(frequencies)
    if f is None or f.ndim != 1 or not len(f) or not np.isfinite(f).all() or f.min() < 0.0:
        raise ShapeError(f"frequencies: give a list of numbers in Hz that are not negative, got {shown(frequencies)}")
    eye, around = np.eye(len(linear.A)), 2j * np.pi * np.asarray(f)
    if linear.period is not None:
        around = np.exp(around * linear.period)
    for x, s in zip(f, around, strict=True):
        if np.abs(s - linear.eigenvalues).min(initial=np.inf) <= 1e-12 * max(np.abs(linear.eigenvalues).max(), 1.0):
            raise StudyError(f"at {x:.6g} Hz nothing limits the amplitude; leave this frequency out, or add damping")
    values = [linear.C @ np.linalg.solve(s * eye - linear.A, linear.B + 0j) + linear.D for s in around]
    return FrequencyResponse(np.asarray(f), np.array(values), linear.inputs, linear.outputs)


def _default(linear: Any) -> Array:
    own = linear.frequencies[np.isfinite(linear.frequencies)]
    moving = own[own > 1e-9 * max(float(own.max(initial=0.0)), 1e-300)]
    low, high = (float(moving.min()), float(moving.max())) if len(moving) else (1.0, 1.0)
    if linear.period is not None:
        fastest = 0.5 / linear.period
        return np.geomspace(min(low, fastest) / WIDER, fastest, COUNT)
    return np.geomspace(low / WIDER, high * WIDER, COUNT)
