"""Mobility of the gallery's closed mechanisms: whichever body is ground, in whatever order and direction joints are given."""

import numpy as np
import pytest

import cotree as ct
from cotree import gallery

CLOSED = {
    "bennett": gallery.bennett, "bricard": gallery.bricard, "dca_four_bar": gallery.dca_four_bar, "delta": gallery.delta,
    "double_parallelogram": gallery.double_parallelogram, "five_bar": gallery.five_bar, "four_bar": gallery.four_bar,
    "folding_four_bar": gallery.folding_four_bar, "n_four_bar": lambda: gallery.n_four_bar(5),
    "parallelogram": gallery.parallelogram, "reg_four_bar": gallery.reg_four_bar, "sarrus": gallery.sarrus,
    "seven_bar": gallery.seven_bar, "slider_crank": gallery.slider_crank, "stewart": gallery.stewart,
    "spherical_five_bar": gallery.spherical_five_bar, "spherical_four_bar": gallery.spherical_four_bar,
    "three_bar": gallery.three_bar, "three_prrr": gallery.three_prrr, "toggle_four_bar": gallery.toggle_four_bar,
}  # fmt: skip
GROUND = "ground"
SMALL = 6  # bodies up to which each of them is tried, beyond that two


def redrawn(mech: ct.Mechanism, body: str, seed: int) -> ct.Mechanism:
    """The body as ground, the old ground in its place; joints in another order, half of them from child to parent."""
    rng, names = np.random.default_rng(seed), {GROUND: body, body: GROUND}
    out = ct.Mechanism(mech.name, gravity=mech.gravity)
    for name in rng.permutation([n for n in mech.bodies if n != GROUND]).tolist():
        p = mech.bodies[name].properties
        out.body(name, p.mass, p.com, p.inertia)
    joints = list(mech.joints.values())
    for k in rng.permutation(len(joints)).tolist():
        c = joints[k]
        ends = [names.get(n, n) for n in (c.parent, c.child)]
        back = bool(rng.random() < 0.5)
        out.joint(c.name, *(ends[::-1] if back else ends), turned(c.joint) if back else c.joint)
    return out


def turned(joint):
    """The same joint from child to parent: each axis of a universal joint stays on its body."""
    return ct.Universal(joint.point, joint.axis2, joint.axis1) if isinstance(joint, ct.Universal) else joint


def properties(mech: ct.Mechanism) -> tuple:
    """Counts, word, and what all loops together take: rows, and freedoms of the joints at which they are cut."""
    system = mech.compile()
    report = ct.mobility(system)
    taken = sum(r.kept + mech.joints[r.joint].joint.dof for r in system.loop_rows)
    return (
        taken, report.grubler, report.regularized, report.differential, report.local, report.kind, report.words, report.bounds
    )  # fmt: skip


def grounds(mech: ct.Mechanism) -> list[str]:
    names = [n for n in mech.bodies if n != GROUND]
    return names if len(names) <= SMALL else names[:: len(names) - 1]


@pytest.mark.parametrize("name", CLOSED)
def test_gallery_with_other_grounds(name):
    mech = CLOSED[name]()
    expected = properties(mech)
    for seed, body in enumerate([GROUND, *grounds(mech)]):
        assert properties(redrawn(mech, body, seed)) == expected, body


def test_all_closed_mechanisms_are_in_the_list():
    """Those whose loops are not all of joints, or that roll, are left out."""
    left_out = {"snakeboard"}
    names = {n for n in gallery.__all__ if n not in left_out}
    for name in names - set(CLOSED):
        found = getattr(gallery, name)
        if callable(found):
            assert not found().compile().n_loops, name
