"""Pages taken apart: the tags in them, the data, and the poses that the arrays hold."""

from __future__ import annotations

import base64
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np

import cotree as ct
from cotree.lie import rotation_of_quaternion
from cotree.view.page.writing import page

EVIL = "</script><img src=x onerror=alert(1)>"


class Parsed(HTMLParser):
    """Tags with their attributes, and the text in each kind of tag."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self._open = f"{tag}#{attributes['id']}" if "id" in attributes else tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._open] = self.texts.get(self._open, "") + data


def data_of(run: ct.Run) -> dict[str, Any]:
    """What the page of a run holds, read as a browser would."""
    return json.loads(Parsed(page(run)).texts["script#data"])


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind).astype(float)


def poses_in(data: dict[str, Any]) -> np.ndarray:
    """(frames, bodies, 4, 4): poses of the bodies' frames, from quaternions and mass centres."""
    X = numbers(data["motion"]).reshape(-1, len(data["bodies"]), 13)
    centres = np.array([body["centre"] for body in data["bodies"]])
    C = np.zeros((*X.shape[:2], 4, 4))
    C[..., :3, :3], C[..., 3, 3] = rotation_of_quaternion(X[..., :4]), 1.0
    C[..., :3, 3] = X[..., 4:7] + data["origin"] - np.einsum("knij,nj->kni", C[..., :3, :3], centres)
    return C


def made_run(mech: ct.Mechanism, q: Any, t: Any = None, v: Any = None, **more: Any) -> ct.Run:
    """A run of these states, whether they make a motion or not."""
    system = more.pop("system", None) or mech.compile()
    q = np.asarray(q, dtype=float)
    q = q.reshape(len(q) if q.ndim > 1 else -1, system.nq)
    t = np.arange(len(q), dtype=float) if t is None else np.asarray(t, dtype=float)
    v = np.zeros((len(q), system.nv)) if v is None else np.asarray(v, dtype=float)
    options = {"status": "done", "message": "", "work": np.zeros((len(q), 2))} | more
    return ct.Run(system, t, q, v, statistics={"steps": len(q), "rejected": 0, "method": "none"}, **options)


def swung(mech: ct.Mechanism, rows: int = 7, seed: int = 0, **options: Any) -> ct.Run:
    """A run through random configurations near the reference assembly; loops may be open."""
    system, rng = mech.compile(**options), np.random.default_rng(seed)
    q = [ct.displace(system, system.q0, 0.4 * rng.normal(size=system.nv)) for _ in range(rows)]
    return made_run(mech, q, system=system)
