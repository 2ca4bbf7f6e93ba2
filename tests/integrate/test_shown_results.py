"""What results look like at a prompt: words with units, not arrays."""

import numpy as np

import cotree as ct


def test_results_fit_on_a_line_each():
    mech = ct.gallery.four_bar()
    system, run = mech.compile(), ct.simulate(mech, 0.1)
    held = ct.actuator_forces(system, system.q0, actuators=["A"])
    assert repr(held) == "<ActuatorForces [N m, or N of sliding joints]: A 8.21302>"
    assert repr(run.energy).startswith("<EnergyHistory [J]: kinetic 0 to ")
    assert "; 201 times>" in repr(run.energy)
    assert repr(run.sensors).endswith("energy; 201 times>")
    now = ct.measure(system, system.q0)
    assert repr(now).endswith("; one state>")
    assert repr(now.joint("A")).endswith("; one state>")
    assert max(len(repr(x)) for x in (held, run.energy, run.sensors, now)) < 160


def test_a_run_without_rows_has_no_energies_to_show():
    run = ct.simulate(ct.gallery.four_bar(), 0.1, output=[0.1])
    assert "1 times" in repr(run.energy)
    none = np.zeros(0)
    assert repr(type(run.energy)(none, none, none, none, none)) == "<EnergyHistory: no times>"


def test_the_gallery_lists_mechanisms():
    assert "delta" in dir(ct.gallery)
    assert "delta_robot" not in dir(ct.gallery)
