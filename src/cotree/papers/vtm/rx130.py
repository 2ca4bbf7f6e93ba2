"""Stop of an industrial robot, [VTM] 7, figures 5 to 8: a six-joint arm whose joints 1, 2 and 3 lock in turn while it moves.

The paper has a Stäubli RX130L with a gear ratio of 100 and draws angles and rates of the motors. Its inertias are not given,
the times of the locks and the motion are lost in the scan. Taken here: `gallery.rx130` with the long forearm (geometry of the
RX130, uniform solids of plausible masses, no rotors), amid a fast move; drives off at 0.1 s, where the wrist locks too; joint
1 locks at 0.15 s, joint 2 at 0.2 s, joint 3 at 0.3 s. A motor turns a hundred times as far as its joint and has a hundredth
of its momentum.
"""

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.gallery.locking_arms import GEAR_RATIO, RX130L_FOREARM
from cotree.papers import Study
from cotree.papers.scripts import main
from cotree.view.jumps import histories

CHOSEN = "masses, inertias and times are not given in the paper and chosen here: the same is seen, not the same curves"
AT = 0.1
WRIST = {"J4": AT, "J5": AT, "J6": AT}
LOCKS = {"J1": 0.15, "J2": 0.2, "J3": 0.3}
T_END = 0.5
COLOURS = ("#0072B2", "#D55E00", "#009E73")
KINDS = {"naive": "rates set to zero", "consistent": "momentum kept"}


def build():
    """The arm in motion."""
    return ct.gallery.rx130(forearm=RX130L_FOREARM)


def run(locks):
    """The stop, with the consistent switch and without."""
    return ct.emergency_stop(build(), at=AT, locks=locks, t_end=T_END)


def momenta(system, h):
    """M v of the joints at each instant of a history."""
    return np.array([ct.mass_matrix(system, q) @ v for q, v in zip(h.q, h.v, strict=True)])


def jumps(run):
    """For each lock of joints 1 to 3: change of the momenta of those of them that stay free, and their size before."""
    out = []
    for joint, time in LOCKS.items():
        s = next(s for s in run.switches if abs(s.t - time) < 1e-9)
        M = ct.mass_matrix(run.system, s.q)
        free = [i for i in range(3) if LOCKS[f"J{i + 1}"] > LOCKS[joint]]
        out.append((np.abs(M @ (s.v - s.v_before))[free].max(initial=0.0), np.abs(M @ s.v_before)[:3].max()))
    return out


def unlocked(h, values):
    """Values of the first three joints up to where each locks, then nothing."""
    last = [np.searchsorted(h.t, LOCKS[f"J{k + 1}"]) for k in range(3)]
    return np.column_stack([np.where(np.arange(len(h.t)) <= last[k], values[:, k], np.nan) for k in range(3)])


def traced(panels):
    """Panels a) and b): (times, values of motors 1 to 3, title, label) each; locks as dotted lines."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
    for ax, letter, (t, values, title, label) in zip(axes, "ab", panels, strict=True):
        for k, colour in enumerate(COLOURS):
            ax.plot(t, values[:, k], color=colour, lw=1.4, label=f"motor {k + 1}")
        for name, time in {"drives off": AT, **{f"{j} locks": at for j, at in LOCKS.items()}}.items():
            ax.axvline(time, color="grey", lw=0.8, ls=":")
            ax.annotate(name, (time, 1.0), xycoords=("data", "axes fraction"), xytext=(2, -4), rotation=90, va="top",
                        textcoords="offset points", fontsize=7, color="#444444")  # fmt: skip
        ax.set(title=f"{letter}) {title}", xlabel="time [s]", ylabel=label, xlim=(0.0, 0.42))
        ax.margins(y=0.2)
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, loc="lower right")
    return figure


def rates_and_momenta(run):
    """Figures 6 and 7."""
    h = histories(run)
    p = unlocked(h, momenta(run.system, h))
    return traced(
        [
            (h.t, GEAR_RATIO * h.v, "motor rates", "rate [rad/s]"),
            (h.t, p / GEAR_RATIO, "momenta of unlocked motors", "momentum [kg m²/s]"),
        ]
    )


def study():
    stop = run({**WRIST, **LOCKS})
    out = Study(
        "vtm/rx130", "Stop of a six-joint robot",
        f"Dormand-Prince 5(4), 1e-8; drives off at {AT:g} s, locks at {', '.join(f'{t:g}' for t in LOCKS.values())} s",
    )  # fmt: skip
    rates(out, stop)
    halting(out, stop)
    wrist(out, stop)
    return out


def rates(out, stop):
    """Figures 6 and 7."""
    naive, kept = jumps(stop.naive.run), jumps(stop.consistent.run)
    shares = [change / size for change, size in naive[:2]]
    out.compare(
        "Figure 6", "motor rates and momenta of the unlocked motors, no consistent update",
        paper="shown beside Figure 7; the text says no more of it than that no momentum consistent update is used",
        ours=f"momenta of free joints jump by {shares[0]:.1%} of the largest where joint 1 locks, whose axis is across "
        f"theirs, and by {shares[1]:.0%} where joint 2 does; rates of free joints do not jump",
        verdict="agrees qualitatively", reason=CHOSEN,
        checks={
            "momenta of free joints jump by 20 % or more where joint 2 locks": shares[1] > 0.2,
            "and by 0.2 % or more where joint 1 does": shares[0] > 2e-3,
            "rates of free joints do not": max(_free_rates(stop.naive.run)) < 1e-12,
        },
        figure=rates_and_momenta(stop.naive.run),
    )  # fmt: skip
    off = max(change for change, _ in kept)
    leaps = _free_rates(stop.consistent.run)
    out.compare(
        "Figure 7", "motor rates and momenta of the unlocked motors, consistent update",
        paper="the momentum consistent update scheme yields these motor velocities and momenta (continuous, as in Section 6)",
        ours=f"momenta of free joints continuous to {off:.0e} kg m²/s; motor rates jump by up to "
        f"{GEAR_RATIO * leaps[0]:.0f} rad/s where joint 1 locks and {GEAR_RATIO * leaps[1]:.0f} rad/s where joint 2 does",
        verdict="agrees qualitatively", reason=CHOSEN,
        checks={
            "momenta of free joints continuous to 1e-9": off < 1e-9,
            "motor rates of free joints jump by 5 rad/s or more": GEAR_RATIO * min(leaps) > 5.0,
            "each lock takes ½ ΔvᵀMΔv of energy, to 1e-9 J": max(_books(stop.consistent.run)) < 1e-9,
        },
        figure=rates_and_momenta(stop.consistent.run),
    )  # fmt: skip


def _free_rates(run):
    """Largest jump of the rates of joints that stay free where joints 1 and 2 lock."""
    out = []
    for joint in ("J1", "J2"):
        s = next(s for s in run.switches if abs(s.t - LOCKS[joint]) < 1e-9)
        free = [i for i in range(3) if LOCKS[f"J{i + 1}"] > LOCKS[joint]]
        out.append(np.abs(s.v - s.v_before)[free].max())
    return out


def _books(run):
    """What each lock takes of energy, but for ½ ΔvᵀMΔv [J]."""
    jumps = [(s, s.v - s.v_before) for s in run.switches if s.closes]
    return [abs(s.energy_loss - dv @ ct.mass_matrix(run.system, s.q) @ dv / 2) for s, dv in jumps]


def halting(out, stop):
    """Figure 8."""
    ends = {kind: getattr(stop, kind).run.q[-1, :3] for kind in KINDS}
    turned = np.abs(ends["consistent"] - ends["naive"])
    rest = [getattr(stop, kind).rest_time for kind in KINDS]
    panels = []
    for kind, words in KINDS.items():
        h = histories(getattr(stop, kind).run)
        panels.append((h.t, GEAR_RATIO * h.q, words, "motor angle [rad]"))
    out.compare(
        "Figure 8", "motor angles, and where the robot halts",
        paper="it is apparent that the terminal position at which the robot comes to a halt is different",
        ours=f"motors 1 to 3 halt {', '.join(f'{GEAR_RATIO * x:.1f}' for x in turned)} rad apart, the flange "
        f"{stop.point_apart:.2f} m; both at rest from {rest[0]:g} s on",
        verdict="agrees qualitatively", reason=CHOSEN,
        checks={
            "both come to a halt when the last joint locks": rest == [LOCKS["J3"]] * 2,
            "the flange halts 0.2 m apart or more": stop.point_apart > 0.2,
            "motor 3 halts 10 rad apart or more": GEAR_RATIO * turned[2] > 10.0,
        },
        figure=traced(panels),
    )  # fmt: skip


def wrist(out, stop):
    """The wrist left out."""
    free = run(LOCKS).consistent.run.q[-1, :3]
    locked, naive = stop.consistent.run.q[-1, :3], stop.naive.run.q[-1, :3]
    effect, switch = np.abs(free - locked).max(), np.abs(locked - naive).max()
    out.compare(
        "Section 7", "the wrist left out",
        paper="wrist locking has no significant effect on the overall motion",
        ours=f"with the wrist left free joints 1 to 3 halt up to {effect:.3f} rad from where they do with the wrist locked "
        f"at {AT:g} s; the kind of switch makes {switch:.2f} rad",
        checks={"a third or less of what the kind of switch makes": effect < switch / 3},
    )  # fmt: skip


if __name__ == "__main__":
    main(study)
