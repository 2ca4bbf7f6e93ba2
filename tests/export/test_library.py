"""C libraries of mechanisms: the same numbers as the package, and no crash with what is damaged."""

import re
import subprocess

import numpy as np
import pytest

import cotree as ct
from cotree.export.answers import poses_of
from tests.export.native import Library, needs_cc

STEP = 1e-3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The four-bar: a loop, with all that constraints need."""
    return ct.export_library(ct.gallery.four_bar(), tmp_path_factory.mktemp("export") / "four_bar")


@pytest.fixture(scope="module")
def four_bar(folder):
    return Library(folder)


def largest(x):
    return np.max(np.abs(x), initial=0.0)


def same_motion(library, mech, inputs, steps=1000, tolerance=1e-11):
    """Steps of the library beside those of a stepper: first without inputs, then with inputs that change at each step."""
    stepper = ct.Stepper(mech, STEP, record=False)
    stepper.step(steps)
    assert library.step(STEP, steps) == 0
    nq, nv = stepper.system.nq, stepper.system.nv
    for i in range(100):
        tau = 0.1 * np.sin(0.01 * i + np.arange(len(inputs)))
        stepper.set(torque=dict(zip(inputs, tau.tolist(), strict=True)))
        library.set_inputs(tau)
        stepper.step()
        assert library.step(STEP) == 0
    scale = max(1.0, largest(stepper.q), largest(stepper.v))
    assert library.t == pytest.approx(stepper.t, abs=1e-12)
    assert largest(library.state("q", nq) - stepper.q) < tolerance * scale
    assert largest(library.state("v", nv) - stepper.v) < tolerance * scale


@needs_cc
def test_its_own_check_passes_and_fails(folder):
    """`make check` compares with stored answers; with one of them changed it fails."""
    told = subprocess.run(["make", "-s", "-C", str(folder), "check", "CFLAGS=-O1"], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "all as stored" in told.stdout
    header = (folder / "answers.h").read_text()
    (folder / "answers.h").write_text(re.sub(r"(answer_driven\[\] = \{\s*)", r"\g<1>0.001 + ", header))
    told = subprocess.run(["make", "-s", "-C", str(folder), "check", "CFLAGS=-O1"], capture_output=True, text=True)
    (folder / "answers.h").write_text(header)
    assert told.returncode != 0
    assert "WRONG" in told.stdout


@needs_cc
def test_a_four_bar_moves_as_in_the_package(four_bar):
    same_motion(four_bar, ct.gallery.four_bar(), ["A", "B", "D"])


@needs_cc
def test_it_needs_the_c_library_only(folder, four_bar):
    """No symbol of Python or Numba is asked for."""
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", *map(str, folder.glob("lib*.so"))], capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("nm cannot list symbols here")
    names = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
    assert "sin" in names
    assert not {n for n in names if re.match(r"_?Py|NRT|numba|malloc|free|calloc", n)}


@needs_cc
def test_functions_of_a_state(four_bar):
    """Accelerations, forces, mass matrix, poses, energies at another state, beside the functions of the package."""
    system = ct.gallery.four_bar().compile()
    q = ct.assemble(system, system.q0 + np.array([0.4, 0.0, 0.0]), fixed=("A",))
    v = ct.consistent_velocity(system, q, np.array([1.0, 0.0, 0.0]))
    a, force, M = np.zeros(3), np.array([1.0, -2.0, 0.5]), np.zeros((3, 3))
    poses, energy, gaps = np.zeros((4, 12)), np.zeros(2), np.zeros(2)
    four_bar.set_inputs(np.zeros(3))
    assert four_bar.call("ct_forward_dynamics", 0.0, q, v, a) == 2
    assert largest(a - ct.forward_dynamics(system, q, v).v_dot) < 1e-11
    assert four_bar.call("ct_inverse_dynamics", 0.0, q, v, force.copy(), force) == 0
    assert largest(force - ct.inverse_dynamics(system, q, v, np.array([1.0, -2.0, 0.5]), tree=True)) < 1e-11
    assert four_bar.call("ct_mass_matrix", q, M) == 0
    assert largest(M - ct.mass_matrix(system, q)) < 1e-12
    assert four_bar.call("ct_poses", q, poses) == 0
    assert largest(poses - poses_of(system, q)) < 1e-13
    assert four_bar.call("ct_energy", q, v, energy) == 0
    told = ct.energy(system, q, v)
    assert energy == pytest.approx([told.kinetic, told.potential], abs=1e-11)
    off = q + np.array([0.01, 0.0, 0.0])
    assert four_bar.call("ct_violation", 0.0, off, v, gaps) == 0
    assert gaps[0] == pytest.approx(largest(ct.constraint_residual(system, off)), rel=1e-9)
    assert gaps[1] == pytest.approx(largest(ct.constraint_jacobian(system, off) @ v), rel=1e-9)


@needs_cc
@pytest.mark.parametrize("crank", [0.3, -0.5, 1.0])
def test_loops_are_closed_from_the_crank(four_bar, crank):
    """The passive coordinates follow from that of the crank, as by `ct.assemble`; its rate stays too."""
    system = ct.gallery.four_bar().compile()
    k = system.q_index("A")
    q, v, fixed = system.q0.copy(), np.zeros(3), np.zeros(3, dtype=np.int32)
    for part in np.linspace(0.0, crank, 6)[1:]:  # as a slider is moved
        q[k], v[k], fixed[k] = part, 2.0, 1
        assert four_bar.call("ct_close_loops", 0.0, q, v, fixed) == 2
    assert q[k] == crank
    assert v[k] == pytest.approx(2.0, abs=1e-12)
    assert largest(q - ct.assemble(system, q + np.array([0.0, 1e-3, 1e-3]), fixed=("A",))) < 1e-11
    assert largest(ct.constraint_jacobian(system, q) @ v) < 1e-12


@needs_cc
def test_a_start_at_another_state(four_bar):
    """`ct_set_state` begins a run anew, as a stepper's reset does."""
    mech = ct.gallery.four_bar()
    system = mech.compile()
    q = ct.assemble(system, system.q0 + np.array([0.4, 0.0, 0.0]), fixed=("A",))
    v = ct.consistent_velocity(system, q, np.array([3.0, 0.0, 0.0]))
    four_bar.set_inputs(np.zeros(3))
    assert four_bar.call("ct_set_state", 0.0, q, v) >= 0
    stepper = ct.Stepper(mech, STEP, q=q, v=v, record=False)
    stepper.step(500)
    assert four_bar.step(STEP, 500) == 0
    assert largest(four_bar.state("q", 3) - stepper.q) < 1e-11
    assert largest(four_bar.state("v", 3) - stepper.v) < 1e-11


@needs_cc
def test_instances_are_independent(four_bar):
    """Two instances in turn come where one comes alone."""
    alone, first, second = (four_bar.instance(four_bar.data) for _ in range(3))
    kept = four_bar.at
    four_bar.at = alone
    assert four_bar.step(STEP, 60) == 0
    expected = four_bar.state("q", 3)
    for _ in range(60):
        for four_bar.at, size in ((first, STEP), (second, 0.5 * STEP)):
            assert four_bar.step(size) == 0
    four_bar.at = first
    assert (four_bar.state("q", 3) == expected).all()
    four_bar.at = kept


@needs_cc
def test_failures_have_a_status(four_bar):
    kept, four_bar.at = four_bar.at, four_bar.instance(four_bar.data)
    q = np.array([0.0, 0.0, 0.0])
    assert four_bar.step(-1.0) == -8
    assert four_bar.step(np.nan) == -8
    assert four_bar.call("ct_set_input", 7, 1.0) == -8
    four_bar.set_inputs(np.array([1e9, 0.0, 0.0]))
    assert four_bar.step(0.1, 50) in (-1, -2)
    q[:] = [0.0, 3.0, -3.0]
    assert four_bar.call("ct_close_loops", 0.0, q, np.zeros(3), np.ones(3, dtype=np.int32)) == -2
    four_bar.at = kept


@needs_cc
def test_damaged_models_are_refused(four_bar):
    """Each word in turn, ends that are missing, another version: a status, and never an instance."""
    for k in range(0, len(four_bar.data), 97):
        wrong = four_bar.data.copy()
        wrong[k] ^= np.uint64(1 << (k % 63))
        assert four_bar.check(wrong) in (-6, -7), k
        assert four_bar.instance(wrong) is None
    for n in (0, 1, 8, 25, len(four_bar.data) - 1):
        assert four_bar.check(four_bar.data[:n].copy()) == -6
    other = four_bar.data.copy()
    other[1] += np.uint64(1)
    assert four_bar.check(other) == -7
    assert four_bar.check(four_bar.data) == 0


@needs_cc
def test_a_damaged_model_with_the_right_sum_writes_nowhere_else(four_bar):
    """What was changed on purpose is looked at place by place."""
    from cotree.export.preparing import HEAD, SUMMED, check_sum

    for name, value in (
        ("n_inside", 1 << 60),
        ("size", 8),
        ("stored", 1 << 50),
        ("model", 1 << 40),
        ("n_inputs", 1 << 63),
    ):
        wrong = four_bar.data.copy()
        wrong[HEAD.index(name)] = value
        wrong[SUMMED - 1] = check_sum(wrong[SUMMED:])
        assert four_bar.check(wrong) == -6, name
    wrong = four_bar.data.copy()
    wrong[len(HEAD) + 3] = 1 << 33  # the first word that is an address
    wrong[SUMMED - 1] = check_sum(wrong[SUMMED:])
    assert four_bar.check(wrong) == -6


def test_what_cannot_be_exported_is_refused_by_name(tmp_path):
    mech = ct.gallery.four_bar()
    mech.torque("gust", "rocker", lambda t: (0.0, 0.0, t))
    with pytest.raises(ct.errors.ExportError, match=r"user functions.*'gust'"):
        ct.export_library(mech, tmp_path / "a")
    locked = ct.gallery.four_bar()
    locked.limit("A", upper=0.2, name="stop")
    with pytest.raises(ct.errors.ExportError, match="stop"):
        ct.export_library(locked, tmp_path / "a")
    held = ct.gallery.four_bar()
    held.pid("servo", "A", target=0.1, kp=10.0)
    with pytest.raises(ct.errors.ExportError, match="servo"):
        ct.export_library(held, tmp_path / "a")
    with pytest.raises(ct.errors.ShapeError, match="takes a Mechanism"):
        ct.export_library("four-bar", tmp_path / "a")
    with pytest.raises(ct.errors.UnknownNameError, match="no input 'Z'"):
        ct.export_library(ct.gallery.four_bar(), tmp_path / "a", inputs=["Z"])
    assert not (tmp_path / "a").exists()


def test_targets_are_checked(tmp_path):
    with pytest.raises(ct.errors.ChoiceError, match="'z80' is not known"):
        ct.export_library(ct.gallery.four_bar(), tmp_path, targets=["z80"])
    with pytest.raises(ct.errors.ChoiceError, match="targets is empty"):
        ct.export_library(ct.gallery.four_bar(), tmp_path, targets=[])


def test_a_machine_that_no_code_is_made_for(monkeypatch, tmp_path):
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(ct.errors.ExportError, match="name targets for Linux"):
        ct.export_library(ct.gallery.four_bar(), tmp_path)


@pytest.mark.long
@needs_cc
@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("chain3", 1e-11), ("chain7", 1e-11), ("stewart", 1e-11), ("delta_robot", 1e-11), ("five_bar", 1e-11)],
)
def test_mechanisms_of_the_gallery(name, tolerance, tmp_path):
    """A thousand steps, equal to the package."""
    mech = (
        ct.gallery.pendulum_chain(int(name[5:]), angle=0.7) if name.startswith("chain") else getattr(ct.gallery, name)()
    )
    inputs = [n for n in mech.compile().v_names if n in ct.Stepper(mech, STEP, record=False).inputs][:3]
    library = Library(ct.export_library(mech, tmp_path / name, inputs=inputs))
    same_motion(library, mech, inputs, tolerance=tolerance)


def test_what_the_compiler_leaves_undone_is_said(monkeypatch):
    """No known Numba, a process that fails, a folder that keeps nothing."""
    from cotree.engine import native_code
    from cotree.engine.targets import TARGETS
    from cotree.export.model import poses

    unknown = TARGETS["x86_64"]._replace(features="+sse4.2")
    with monkeypatch.context() as patch:
        patch.setattr(native_code, "PLAIN", True)
        with pytest.raises(ct.errors.ExportError, match="versions of Numba"):
            native_code.parts_of([poses], unknown)
    with monkeypatch.context() as patch:
        patch.setattr(native_code.sys, "executable", "/bin/false")
        with pytest.raises(ct.errors.ExportError, match="the compiler has failed"):
            native_code.parts_of([poses], unknown)
    monkeypatch.setattr(native_code, "_make", lambda entries, target: None)
    with pytest.raises(ct.errors.ExportError, match="could not be made or stored"):
        native_code.parts_of([poses], unknown)


def test_addresses_of_this_process_are_not_exported():
    """A word that leads nowhere would crash wherever the image is used."""
    from cotree.export.model import model_t
    from cotree.export.preparing import _image

    root = np.zeros(1, model_t)
    root["run"] = 12345
    with pytest.raises(ct.errors.ExportError, match=r"cannot be exported \(run\)"):
        _image(root, [])
