"""Pictures and films without a browser: what is drawn is where the run has it."""

import io

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, ViewError
from cotree.view.movie import writing
from cotree.view.movie.rendering import Renderer
from cotree.view.scene import scene_of
from cotree.view.scene.frames import frames
from tests.model.builders import refused
from tests.view.rigs import rig

Image = pytest.importorskip("PIL.Image", reason="the package Pillow is not installed: no films")


@pytest.fixture(scope="module")
def pendulum():
    mech = ct.Mechanism("pendulum")
    bob = mech.body("bob", shape=ct.Sphere((1, 0, 0), 0.1, color=(1, 0, 0)), density=1000)
    mech.joint("hinge", mech.ground, bob, ct.Revolute((0, 0, 0), (0, 1, 0)))
    return ct.simulate(mech, 1.0, output=21)


def red(image):
    """Middle of what is red, (x, y) in pixels."""
    pixels = np.asarray(image).astype(int)
    there = (pixels[..., 0] > 90) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)
    i, j = np.nonzero(there)
    return np.array([j.mean() + 0.5, i.mean() + 0.5]), len(i)


@pytest.mark.parametrize("row", [0, 7, 20])
def test_a_ball_is_drawn_where_the_run_has_it(pendulum, row):
    found = frames(pendulum)
    renderer = Renderer(scene_of(pendulum.system, found), 360, 240)
    middle, count = red(renderer.image(float(pendulum.t[row])))
    x, y, near = renderer.project(pendulum.point("bob").position[row] - found.origin)
    np.testing.assert_allclose(middle, [x / 2, y / 2], atol=1.5)  # light makes one side bright
    zoom = 0.5 * 240 / np.tan(0.3) * near
    assert count == pytest.approx(np.pi * (0.1 * zoom) ** 2, rel=0.25)  # without joints, highlights and rims


def test_what_is_nearer_hides_what_is_behind(tmp_path):
    mech = ct.Mechanism("two", gravity=(0, 0, 0))
    mech.floor(None)
    for name, y, color in (("far", 1.0, "#00ff00"), ("near", -1.0, "#ff0000")):
        body = mech.body(
            name, shape=ct.Box((0, y, 0), (1 if name == "near" else 0.4, 0.1, 1), color=color), density=1.0
        )
        mech.joint(name, mech.ground, body, ct.Prismatic(axis=(1, 0, 0), point=(0, y, 0)))
    mech.picture(tmp_path / "two.png", size=(200, 200))
    pixels = np.asarray(Image.open(tmp_path / "two.png")).astype(int)
    assert pixels.shape == (200, 200, 3)
    green = ((pixels[..., 1] > 90) & (pixels[..., 0] < 80)).sum()
    assert ((pixels[..., 0] > 90) & (pixels[..., 1] < 80)).sum() > green
    mech.bodies.pop("near"), mech.joints.pop("near")
    mech.picture(tmp_path / "one.png", size=(200, 200))
    alone = np.asarray(Image.open(tmp_path / "one.png")).astype(int)
    assert ((alone[..., 1] > 90) & (alone[..., 0] < 80)).sum() > green


def test_opacity_mixes_with_what_is_behind():
    mech = rig()
    run = ct.simulate(mech, 0.1, output=3)
    found = frames(run)
    image = Renderer(scene_of(run.system, found), 240, 160).image(0.0).astype(float)
    solid = rig()
    solid.bodies["coupler"] = ct.Mechanism().body(
        "coupler", shape=ct.Rod((0.6, 0.8, 0), (2.4, 1.4, 0), 0.04, color="#444"), density=400
    )
    without = Renderer(scene_of(solid.compile(), found), 240, 160).image(0.0).astype(float)
    changed = np.abs(image - without).sum(axis=2) > 12
    assert changed.sum() > 100  # the block is seen
    assert (image[changed].max(axis=1) > 90).mean() > 0.5  # and is not as dark as teal alone


def test_films_have_the_frames_that_were_asked_for(tmp_path, pendulum):
    pendulum.movie(tmp_path / "p.gif", fps=10, speed=0.5, size=(96, 64))
    film = Image.open(tmp_path / "p.gif")
    assert (film.n_frames, film.size, film.info["duration"]) == (21, (96, 64), 100)
    places = []
    for k in (0, 20):
        film.seek(k)
        places.append(red(film.convert("RGB"))[0])
    assert np.linalg.norm(places[1] - places[0]) > 8
    pendulum.movie(tmp_path / "p.webp", fps=4, size=(64, 48))
    assert Image.open(tmp_path / "p.webp").n_frames == 5


def test_films_in_mp4(tmp_path, pendulum, monkeypatch):
    pytest.importorskip("imageio_ffmpeg", reason="the package imageio-ffmpeg is not installed: no mp4")
    iio = pytest.importorskip("imageio.v3")
    pendulum.movie(tmp_path / "p.mp4", fps=8, size=(96, 64))
    film = (tmp_path / "p.mp4").read_bytes()
    assert iio.imread(io.BytesIO(film), extension=".mp4").shape == (9, 64, 96, 3)
    assert [writing.is_whole(x) for x in (film, film[:-1], film[:100], film + b"x", b"", bytes(50))] == [True] + [
        False
    ] * 5
    large = b"\0\0\0\1mdat" + (24).to_bytes(8, "big") + bytes(8)
    assert writing.is_whole(film + large)
    monkeypatch.setattr(iio, "imwrite", lambda out, *_, **__: out.write(film[:-100]))  # as where the disk is full
    with refused(ViewError, "not a whole film", "temporary files"):
        pendulum.movie(tmp_path / "p.mp4", fps=8, size=(96, 64))
    assert (tmp_path / "p.mp4").read_bytes() == film


def test_what_cannot_be_filmed_is_refused(tmp_path, pendulum):
    for bad, words in (
        (lambda: pendulum.movie(tmp_path / "p.avi"), "ends with none of"),
        (lambda: pendulum.movie(tmp_path / "p.gif", size=(3, 3)), "size is"),
        (lambda: pendulum.movie(tmp_path / "p.gif", fps=1e6), "more than 5000"),
        (lambda: pendulum.picture(tmp_path / "p.gif"), "ends with none of"),
        (lambda: ct.simulate(rig(), 0.1, output=[0.0]).movie(tmp_path / "p.gif"), "fewer than two"),
    ):
        with pytest.raises(ChoiceError, match=words):
            bad()
    assert list(tmp_path.iterdir()) == []
