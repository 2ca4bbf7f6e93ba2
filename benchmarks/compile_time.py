"""What the first call costs: cold (nothing cached) and cached, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

SCRIPT = """
import time
start = time.perf_counter()
import cotree as ct
imported = time.perf_counter() - start
mech = ct.Mechanism()
body = mech.body("pendulum", 1.0, (1, 0, 0), (0.1, 0.1, 0.1))
mech.joint("pivot", mech.ground, body, ct.Revolute((0, 0, 0), (0, 1, 0)))
system = mech.compile()
times = [imported]
for call in (lambda: ct.forward_dynamics(system, [0.3]), lambda: ct.inverse_dynamics(system, [0.3]),
             lambda: ct.mass_matrix(system, [0.3]), lambda: ct.poses(system, [0.3])):
    start = time.perf_counter()
    call()
    times.append(time.perf_counter() - start)
print(*times)
"""


def main() -> None:
    print("First call in a fresh process [s]")
    print(f"{'':>8} {'import':>8} {'forward':>9} {'inverse':>9} {'mass':>9} {'poses':>9}")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for name in ("cold", "cached"):
            result = subprocess.run(
                [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
            )
            numbers = [float(x) for x in result.stdout.split()]
            print(f"{name:>8} {numbers[0]:8.3f} " + " ".join(f"{x:9.3f}" for x in numbers[1:]))


if __name__ == "__main__":
    main()
