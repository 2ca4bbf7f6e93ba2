"""Divide and conquer on the planar ladder beside Pinocchio's `lcaba` and SciPy's sparse LU, in turns."""

from __future__ import annotations

from benchmarks.divided import ladder, ladder_error
from benchmarks.timing import repeated, settled

TOLERANCE = 1e-6  # accelerations that count as the same [rad/s^2]


def beside_lcaba(sizes: tuple[int, ...]) -> None:
    """With the settings that serve Pinocchio best: the fewest steps that are accurate enough, and a single one."""
    from benchmarks.peers.lcaba import LARGEST, LoopLadder, gigabytes

    print(
        "Beside Pinocchio's lcaba [us per loop], its settings searched; errors of the cranks' accelerations [rad/s^2]"
    )
    print(f"{'loops':>9}{'ours':>8}{'error':>9}{'lcaba':>8}{'error':>9}{'steps':>7}{'mu':>8}{'lcaba / ours':>14}")
    for n in sizes:
        case, peer = ladder(n), LoopLadder(min(n, LARGEST))
        count = max(1, 500 // peer.n)
        for s in (peer.fewest_steps(TOLERANCE), peer.most_accurate(1)):
            call = repeated(lambda p=peer, s=s: p.accelerations(s.mu, s.steps), count)  # type: ignore[misc]
            own, other = settled([case.evaluate, call], [case.count, count])
            own, other = own / n, other / peer.n
            print(
                f"{n:9d}{own * 1e6:8.2f}{ladder_error(case, n):9.1e}{other * 1e6:8.2f}{s.error:9.1e}{s.steps:7d}{s.mu:8.0e}"
                f"{other / own:14.2f}" + (f"  lcaba per loop of {peer.n}" if n > peer.n else ""),
                flush=True,
            )
    sizes_of_data = ", ".join(f"{gigabytes(n):.0f} GB for {n} loops" for n in (160, LARGEST, 1000))
    print(f"  Pinocchio's Data takes 32 nv^3 bytes ({sizes_of_data}), so lcaba stops at {LARGEST}")


def beside_sparse(sizes: tuple[int, ...]) -> None:
    """SuperLU's factorization and solution of the index-1 system, whose assembly is a gift."""
    from benchmarks.peers import sparse_index1 as peer

    print(
        "Beside SciPy's splu on the index-1 system in body coordinates, factorization and solution only [us per loop];"
    )
    print("NATURAL: unknowns numbered along the ladder by hand, so that no ordering has to be found")
    print(
        f"{'loops':>9}{'ours':>8}"
        + "".join(f"{o:>15}" for o in peer.ORDERINGS)
        + f"{'error':>9}  ratios, ordered and by hand"
    )
    for n in sizes:
        case, system, count = ladder(n), peer.ladder_index1(n), max(1, 300 // n)
        calls = [repeated(lambda s=system, o=o: s.solve(o), count) for o in peer.ORDERINGS]  # type: ignore[misc]
        own, *others = settled([case.evaluate, *calls], [case.count, *[count] * len(calls)])
        error = max(peer.ladder_error(system, n, o) for o in peer.ORDERINGS)
        times = "".join(f"{x / n * 1e6:15.2f}" for x in others)
        ratios = f"{min(others[:2]) / own:8.2f}{others[2] / own:8.2f}"
        print(f"{n:9d}{own / n * 1e6:8.2f}{times}{error:9.1e}{ratios}", flush=True)
