"""What contacts did, saved and loaded: histories, impacts, and tables; damaged files are refused by name."""

import json
import shutil

import h5py
import numpy as np
import pytest

import cotree as ct
from cotree.errors import CotreeError, DocumentError, UnknownNameError
from tests.contact.scenes import FLOOR, block
from tests.io.damaged_results import damaged
from tests.io.switching import equal
from tests.model.builders import refused


def on_four_feet():
    """A block that falls flat, so that its forces are not determined, and a ball that bounces on it."""
    mech = block(friction=0.4, height=0.02, restitution=0.3)
    pose = np.eye(4)
    pose[:3, 3] = 1.0, 0.0, 0.15
    ball = mech.body("ball", 1.0, (0, 0, 0), (0.004,) * 3, pose, ct.Sphere((0, 0, 0), 0.1))
    mech.joint("fly", mech.ground, ball, ct.Free())
    mech.contact("under", mech.ground, FLOOR, ball, None, 0.2, 0.5)
    return mech


@pytest.fixture(scope="module", params=["events", "stepping"])
def pair(request, tmp_path_factory):
    more = {"step": 1e-3} if request.param == "stepping" else {}
    run = ct.simulate(on_four_feet(), 0.16, v={"fly": [0, 0, 0, 0.5, 0, 0]}, output=9, contact=request.param, **more)
    path = tmp_path_factory.mktemp("contacts") / "run.h5"
    run.save(path)
    return run, ct.load_run(path), path


def test_histories_come_back(pair):
    run, other, _ = pair
    assert (other.contacts.points, other.contacts.contacts) == (run.contacts.points, run.contacts.contacts)
    for name, x in run.contacts.arrays.items():
        again = other.contacts.arrays[name]
        assert (again.dtype, again.shape, again.tobytes()) == (x.dtype, x.shape, x.tobytes())
    for name in ("floor", "under"):
        assert equal(other.contact(name).force, run.contact(name).force)
        assert other.contact(name).state.tolist() == run.contact(name).state.tolist()
    assert run.contact("floor").normal_force.any()
    assert str(other) == str(run)
    assert other.statistics == run.statistics


def test_impacts_come_back(pair):
    run, other, _ = pair
    assert len(other.impacts) == len(run.impacts) > 2
    for a, b in zip(run.impacts, other.impacts, strict=True):
        for name in ("t", "contacts", "energy_loss", "law", "simultaneous"):
            assert getattr(a, name) == getattr(b, name)
        assert list(a.impulses) == list(b.impulses)
        assert all(equal(a.impulses[n], b.impulses[n]) for n in a.impulses)
    assert {name for i in other.impacts for name in i.impulses} == {"floor", "under"}


def test_going_on_keeps_what_was_before(pair):
    run, other, _ = pair
    a, b = run.resume(0.18, output=2), other.resume(0.18, output=2)
    assert equal(a.q, b.q)
    assert equal(a.contacts.force, b.contacts.force)
    assert len(b.contact("under").gap) == len(b.t) > len(run.t)
    assert [i.t for i in a.impacts] == [i.t for i in b.impacts]


def test_points_that_share_forces_are_stored():
    run = ct.simulate(block(), 0.01, output=2)
    import msgspec

    from cotree.io.results.active_sets import Stored, topology_data, topology_of

    (topology,) = {id(p.topology): p.topology for p in run.phases}.values()
    assert len(topology.shared) == 4
    again = topology_of(msgspec.convert(topology_data(topology), Stored), run.system.mechanism)
    assert (again.shared, again.touching) == (topology.shared, topology.touching)


def test_tables_have_contacts(pair):
    run = pair[1]
    data = run.to_xarray()
    assert data.contact.values.tolist() == ["floor", "under"]
    assert data.contact_force.dims == ("time", "contact", "axis")
    for name in ("gap", "force", "normal_force", "point", "slip", "state"):
        np.testing.assert_array_equal(data[f"contact_{name}"].sel(contact="under"), getattr(run.contact("under"), name))
    assert data.contact_gap.units == "m"
    table = run.to_dataframe()
    assert table["contact_normal_force[floor]"].tolist() == run.contact("floor").normal_force.tolist()
    assert table["contact_state[under]"].tolist() == run.contact("under").state.tolist()
    plain = ct.simulate(ct.gallery.four_bar(), 0.01, output=2)
    assert not [name for name in (*plain.to_xarray(), *plain.to_dataframe()) if name.startswith("contact")]


# -- files of others -------------------------------------------------------------------------------------------


def edited(pair, tmp_path, edit):
    path = tmp_path / "run.h5"
    shutil.copy(pair[2], path)
    with h5py.File(path, "r+") as file:
        edit(file)
    return path


def put(file, name, change):
    """Other content without its check sum."""
    old = file[name].asstr()[()] if file[name].shape == () else file[name][()]
    del file[name]
    file[name] = change(old)


def words(change):
    """A change of JSON."""

    def of(text):
        data = json.loads(text)
        change(data)
        return json.dumps(data)

    return of


WRONG = "impacts: their times, contacts and impulses are inconsistent"
SPOILED = {
    "contacts/points: 'block' is not a contact of the model": (
        "contacts/points",
        lambda s: s.replace('"floor"', '"block"'),
    ),
    "contacts/points: Expected `str`": ("contacts/points", words(lambda x: x[0].update(point=3))),
    "contacts/gap: an array of shape": ("contacts/gap", lambda x: x[:, 1:]),
    "contacts/force: an array of shape": ("contacts/force", lambda x: x[:, :, :2]),
    "contacts/slip: contains NaN": ("contacts/slip", lambda x: x * np.nan),
    "contacts/codes: must be integers from 0 to 2": ("contacts/codes", lambda x: x + 2),
    "impacts/impulses: an array of shape": ("impacts/impulses", lambda x: x[:, :2]),
    "impacts/energy_loss: an array of shape": ("impacts/energy_loss", lambda x: x[1:]),
    "impacts/what: Invalid enum value 'hertz'": ("impacts/what", words(lambda x: x[0].update(law="hertz"))),
    f"{WRONG}; the file": ("impacts/t", lambda x: x[::-1]),
    f"{WRONG}; ": ("impacts/what", words(lambda x: x.pop())),
    WRONG: ("impacts/what", words(lambda x: x[0]["pushed"].append("floor"))),
}


@pytest.mark.parametrize("text", SPOILED)
def test_the_place_is_named(pair, tmp_path, text):
    with refused(DocumentError, f"run.h5: {text}"):
        ct.load_run(edited(pair, tmp_path, lambda file: put(file, *SPOILED[text])))


def test_parts_that_were_lost(pair, tmp_path):
    for part in ("contacts", "impacts", "contacts/normal_force"):
        with refused(DocumentError, "run.h5: ", f"{part}", "missing"):
            ct.load_run(edited(pair, tmp_path, lambda file, part=part: file.pop(part)))


@pytest.mark.filterwarnings("ignore")
def test_damage_is_named(pair):
    for seed in range(15):
        path = damaged(pair[2], seed)
        try:
            text = f"{path.name}{ct.load_run(path).contacts}"
        except CotreeError as error:
            text = str(error)
        assert text.startswith(path.name), f"seed {seed}"


def test_a_file_from_before_contacts_were_stored(pair, tmp_path):
    def older(file):
        del file["contacts"], file["impacts"], file.attrs["parts"]

    run = ct.load_run(edited(pair, tmp_path, older))
    assert (run.contacts, run.impacts) == (None, ())
    assert equal(run.q, pair[0].q)
    with pytest.raises(UnknownNameError, match="no contact 'floor' in this run: its file does not have them"):
        run.contact("floor")
    assert "contact_gap" not in run.to_xarray()
