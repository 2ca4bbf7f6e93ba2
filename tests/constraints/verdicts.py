"""Counts and words of mechanisms whose verdicts are close to what rounding decides; printed as JSON for other processes."""

import json
import sys

import cotree as ct
from tests.closed_mechanisms import CATALOGUE
from tests.constraints.test_any_ground import FLAT_BAR, OPEN_BAR, small_four_bar
from tests.lattice_mechanisms import lattice

# lattices whose words differed between processors, and some where constraints touch
SEEDS = (5, 47, 67, 115, 121, 204, 287, 395, 1231, 1316)


def verdict(mech):
    """All of a report but its digits: of sizes whether there are any."""
    r = ct.mobility(mech)
    counts = [r.grubler, r.regularized, r.differential, r.local, r.bounds, r.nearly]
    return [*counts, r.kind, r.words, r.redundant, r.owed_to, [(x.joint, x.full, x.kept) for x in r.rows]]


def verdicts():
    cases = {f"lattice {seed}": lattice(seed) for seed in SEEDS}
    cases |= {name: row[0]() for name, row in CATALOGUE.items()}
    for far in (1e-3, 1e2, 1e5):
        cases |= {f"flat {far:g}": small_four_bar(FLAT_BAR, far), f"open {far:g}": small_four_bar(OPEN_BAR, far)}
    return json.loads(json.dumps({name: verdict(data.mechanism()) for name, data in cases.items()}))


if __name__ == "__main__":
    json.dump(verdicts(), sys.stdout)
