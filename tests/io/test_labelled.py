"""Runs as labelled tables."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.errors import MissingPackageError
from cotree.io import switch_table, to_dataframe, to_xarray
from cotree.system.coordinate_labels import coordinate_labels, velocity_labels
from tests.io.runs import full_run
from tests.io.switching import locked_arm
from tests.model.builders import four_bar, pendulum, refused
from tests.random_mechanisms import cases, random_tree


def test_a_dataset_has_names_units_and_the_numbers_of_the_run():
    run = full_run(four_bar())
    data = to_xarray(run)
    system = run.system
    for name in system.coordinate_names:
        k = system.velocity_index(name)
        assert np.array_equal(data.v.sel(velocity=name), run.v[:, k])
        assert np.array_equal(data.q.sel(coordinate=name), run.q[:, k])
    assert set(data.coordinate_units.values) == {"rad"}
    assert set(data.velocity_units.values) == {"rad/s"}
    assert np.array_equal(data.time, run.t)
    assert data.time.attrs["units"] == "s"
    for body in system.body_names:
        row = system.row_of(body)
        assert np.array_equal(data.pose.sel(body=body), run.poses()[:, row])
    for name in ("kinetic", "potential", "total"):
        assert np.array_equal(data[f"{name}_energy"], getattr(run.energy, name))
        assert data[f"{name}_energy"].attrs["units"] == "J"
    assert np.array_equal(data.violation, run.violation)
    assert np.array_equal(data.velocity_violation, run.velocity_violation)
    assert np.array_equal(data.supplied_work, run.work[:, 0])
    assert np.array_equal(data.dissipated_work, run.work[:, 1])
    assert np.array_equal(data.lost_work, run.work[:, 2])
    assert "topology" not in data
    assert data.attrs["name"] == "four-bar"
    assert data.attrs["status"] == "event"
    assert '"method": "rk4"' in data.attrs["settings"]


def test_a_simulation_becomes_a_dataset():
    run = ct.simulate(four_bar(), 0.2, output=3)
    data = to_xarray(run)
    assert data.sizes["time"] == 3
    assert np.array_equal(data.total_energy, run.energy.total)


@pytest.mark.parametrize("seed", range(4))
def test_mass_centres_are_where_the_bodies_are(seed):
    """Second route: the mean of the bodies' mass centres is that of the system."""
    run = full_run(random_tree(np.random.default_rng(seed), 6, massless=0.0).mechanism(), seed)
    data, bodies = to_xarray(run), run.system.mechanism.bodies
    mass = np.array([bodies[name].properties.mass for name in data.body.values])
    for k, q in enumerate(run.q):
        mean = mass @ data.mass_centre[k].values / mass.sum()
        np.testing.assert_allclose(mean, ct.center_of_mass(run.system, q).position, atol=1e-12)


def test_a_table_has_a_column_for_each_number():
    pytest.importorskip("pandas")
    run = full_run(four_bar())
    table = to_dataframe(run)
    assert np.array_equal(table.index, run.t)
    assert table.index.name == "time"
    for k, name in enumerate(run.system.coordinate_names):
        assert np.array_equal(table[f"q[{name}]"], run.q[:, k])
        assert np.array_equal(table[f"v[{name}]"], run.v[:, k])
    assert np.array_equal(table["total_energy"], run.energy.total)
    assert np.array_equal(table["supplied_work"], run.work[:, 0])
    assert len(table.columns) == 2 * run.system.nv + 8


KINDS = [
    (ct.Cylindrical(), ["j.angle", "j.z"], ["rad", "m"], ["rad/s", "m/s"]),
    (ct.Planar(), ["j.angle", "j.x", "j.y"], ["rad", "m", "m"], ["rad/s", "m/s", "m/s"]),
    (ct.PlanarTranslation(), ["j.x", "j.y"], ["m", "m"], ["m/s", "m/s"]),
    (ct.Schoenflies(), ["j.angle", "j.x", "j.y", "j.z"], ["rad", "m", "m", "m"], ["rad/s", "m/s", "m/s", "m/s"]),
    (ct.Universal(), ["j.w1", "j.w2"], ["rad", "rad"], ["rad/s", "rad/s"]),
    (ct.Helical(pitch=0.1), ["j"], ["rad"], ["rad/s"]),
    (ct.Spherical(coordinates="cayley"), ["j.q1", "j.q2", "j.q3"], ["1", "1", "1"], ["1/s", "1/s", "1/s"]),
    (ct.Cylindrical(coordinates="second"), ["j.q1", "j.q2"], ["rad", "m"], ["rad/s", "m/s"]),
    (ct.Cylindrical(coordinates="first"), ["j.q1", "j.q2"], ["rad", "m"], ["rad/s", "m/s"]),
    (ct.Free(), [f"j.{n}" for n in ("qw", "qx", "qy", "qz", *"xyz")], ["1"] * 4 + ["m"] * 3, ["rad/s"] * 3 + ["m/s"] * 3),
]  # fmt: skip


@pytest.mark.parametrize(("joint", "names", "units", "rates"), KINDS, ids=lambda x: type(x).__name__)
def test_names_and_units_of_each_joint(joint, names, units, rates):
    mech = ct.Mechanism()
    mech.body("b", 1, (0.1, 0.2, 0.3), (1, 1, 1))
    mech.joint("j", "ground", "b", joint)
    system = mech.compile()
    assert coordinate_labels(system) == (names, units)
    assert velocity_labels(system).units == rates


@settings(max_examples=40, deadline=None)
@given(cases(groups=("SE3",)))
def test_every_entry_has_a_name_of_its_own(case):
    names, units = coordinate_labels(case.system)
    assert len(set(names)) == case.system.nq
    assert set(units) <= {"rad", "m", "1"}


def test_phases_are_numbered_and_named():
    """Second route: what the run says to be in force at a time."""
    run = locked_arm()
    data, table = run.to_xarray(), run.to_dataframe()
    assert data.topology.dtype.kind == "i"
    assert data.topology.attrs["phases"] == ["", "lock J2", "lock J2, lock J3", "lock J3"]
    for t, k in zip(run.t, data.topology.values, strict=True):
        assert ", ".join(run.topology(t)) == data.topology.attrs["phases"][k]
    assert np.array_equal(table["topology"], data.topology)
    assert table.attrs["phases"] == data.topology.attrs["phases"]
    assert set(data.topology.values) == {0, 1, 2, 3}
    assert np.array_equal(data.lost_work, np.searchsorted([0.2, 0.35], run.t, "right").astype(bool) * data.lost_work)
    assert data.lost_work[-1] == pytest.approx(sum(s.energy_loss for s in run.switches))
    balance = data.total_energy + data.lost_work
    np.testing.assert_allclose(balance, balance[0], atol=1e-4)


def test_a_table_of_switches():
    run = locked_arm()
    table = run.switch_table()
    assert list(table.columns) == ["t", "what", "energy_loss", "supplied", "dof", "impulses"]
    assert table["t"].tolist() == pytest.approx([0.2, 0.35, 0.45])
    assert table["what"].tolist() == ["lock J2 locks", "lock J3 locks", "lock J2 unlocks"]
    assert table["dof"].tolist() == [2, 1, 2]
    assert table["energy_loss"].tolist() == [s.energy_loss for s in run.switches]
    assert table["supplied"].tolist() == [0.0, 0.0, 0.0]
    names = [text.split(":")[0] for text in table["impulses"]]
    assert names == ["lock J2", "lock J3", ""]
    assert float(table["impulses"][0].split()[-1]) == pytest.approx(run.switches[0].impulses["lock J2"][0])


def test_a_table_without_switches():
    table = full_run(pendulum()).switch_table()
    assert len(table) == 0
    assert "energy_loss" in table


@pytest.mark.parametrize(
    ("package", "call"), [("xarray", to_xarray), ("pandas", to_dataframe), ("pandas", switch_table)]
)
def test_without_the_packages(monkeypatch, package, call):
    run = full_run(pendulum())
    monkeypatch.setitem(sys.modules, package, None)
    with refused(MissingPackageError, f"the package {package}", "pip install 'cotree[results]'"):
        call(run)
