"""`run.movie` and `run.picture`."""

from __future__ import annotations

import io
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError, ViewError
from cotree.integrate.results.run import Run
from cotree.io.atomic import write_whole
from cotree.io.native.texts import package
from cotree.io.paths import path_of
from cotree.model.checks import number, positive, shown
from cotree.model.mechanism import Mechanism
from cotree.system.system import System
from cotree.view.movie.rendering import Renderer
from cotree.view.scene import scene_of
from cotree.view.scene.arrows import arrows as drawn_arrows
from cotree.view.scene.frames import frames, still
from cotree.view.still_page import start_of

Image = NDArray[np.uint8]
FILMS, PICTURES = (".gif", ".webp", ".mp4"), (".png", ".jpg", ".webp")
MOST_FRAMES, MOST_PIXELS = 5000, 4000


def write_movie(
    run: Run, path: Any, fps: float = 25.0, speed: float = 1.0, size: Any = (720, 480), arrows: Any = None
) -> None:
    """Write a film of a run; for the arguments see `Run.movie`."""
    where = path_of(path, "movie(path)")
    kind = _ending(where, FILMS, "movie")
    rate, pace = positive(fps, "fps", "movie"), positive(speed, "speed", "movie")
    width, height = _size(size)
    if len(run.t) < 2:
        raise ChoiceError("movie: the run has fewer than two output rows, so that nothing moves; use run.picture")
    count = int(np.floor((run.t[-1] - run.t[0]) / pace * rate)) + 1
    if count > MOST_FRAMES:
        raise ChoiceError(
            f"movie: {run.t[-1] - run.t[0]:g} s at {rate:g} pictures a second are {count} pictures, more than {MOST_FRAMES}; "
            f"choose a smaller fps or a larger speed"
        )
    found = frames(run)
    renderer = Renderer(scene_of(run.system, found), width, height, drawn_arrows(run, found, arrows))
    images = (renderer.image(float(run.t[0] + k * pace / rate)) for k in range(max(count, 2)))
    write_whole(where, _mp4(images, rate) if kind == ".mp4" else _animated(images, rate, kind))


def write_picture(
    shown_thing: Run | Mechanism | System, path: Any, t: float | None = None, q: Any = None, size: Any = (720, 480),
    arrows: Any = None,
) -> None:  # fmt: skip
    """Write a still picture of a run at a time, or of a mechanism at q."""
    where = path_of(path, "picture(path)")
    kind = _ending(where, PICTURES, "picture")
    width, height = _size(size)
    pillow = package("PIL.Image", "movie")
    if isinstance(shown_thing, Run):
        found = frames(shown_thing)
        renderer = Renderer(
            scene_of(shown_thing.system, found), width, height, drawn_arrows(shown_thing, found, arrows)
        )
        image = renderer.image(float(found.t[0]) if t is None else number(t, "t", "picture"))
    else:
        system, q = start_of(shown_thing, q)
        image = Renderer(scene_of(system, still(system, q)), width, height).image(0.0)
    out = io.BytesIO()
    pillow.fromarray(image).save(out, format={".png": "PNG", ".jpg": "JPEG", ".webp": "WEBP"}[kind])
    write_whole(where, out.getvalue())


def _ending(path: Path, known: tuple[str, ...], who: str) -> str:
    kind = path.suffix.lower()
    if kind not in known:
        raise ChoiceError(
            f"{who}: {shown(path.name)} ends with none of {', '.join(known)}; choose one of these formats"
        )
    return kind


def _size(size: Any) -> tuple[int, int]:
    """Width and height in pixels, even as films want them."""
    good = isinstance(size, (tuple, list)) and len(size) == 2 and all(type(x) is int for x in size)
    if not good or not all(16 <= x <= MOST_PIXELS for x in size):
        raise ChoiceError(
            f"size is {shown(size)}; give width and height, two whole numbers from 16 to {MOST_PIXELS} pixels"
        )
    return 2 * (size[0] // 2), 2 * (size[1] // 2)


def _animated(images: Iterator[Image], fps: float, kind: str) -> bytes:
    """GIF or WebP by Pillow; GIF has 256 colours, chosen from the first picture for all, so that nothing flickers."""
    pillow, out = package("PIL.Image", "movie"), io.BytesIO()
    pictures = [pillow.fromarray(image) for image in images]
    if kind == ".gif":
        palette = pictures[len(pictures) // 2].quantize(256)
        pictures = [picture.quantize(palette=palette, dither=pillow.Dither.NONE) for picture in pictures]
    options: dict[str, Any] = {"format": kind[1:].upper(), "save_all": True, "append_images": pictures[1:], "loop": 0}
    pictures[0].save(out, duration=max(20, round(1000.0 / fps)), **options)
    return out.getvalue()


def _mp4(images: Iterator[Image], fps: float) -> bytes:
    """H.264 by imageio's ffmpeg."""
    package("imageio_ffmpeg", "movie")
    imageio, out = package("imageio.v3", "movie"), io.BytesIO()
    imageio.imwrite(out, np.stack(list(images)), extension=".mp4", fps=fps, codec="libx264", macro_block_size=2)
    film = out.getvalue()
    if not is_whole(film):  # ffmpeg has failed without a word from imageio
        raise ViewError(
            f"movie: ffmpeg wrote {len(film)} bytes, which are not a whole film; make room for temporary files in "
            f"{tempfile.gettempdir()}, or choose .gif or .webp"
        )
    return film


def is_whole(film: bytes) -> bool:
    """Whether the boxes of an MP4 file, each of which begins with its size and kind, end with it and have its index."""
    at, kinds = 0, []
    while at + 8 <= len(film):
        size, kind = struct.unpack(">I4s", film[at : at + 8])
        if size == 1:  # that of a large box follows
            size = int.from_bytes(film[at + 8 : at + 16], "big")
        if size < 8:
            return False
        kinds.append(kind)
        at += size
    return at == len(film) and b"moov" in kinds
