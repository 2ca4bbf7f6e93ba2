"""What was noticed before, so that a run goes on where the last one ended: build/mutants.json, by digests of the two files."""

from __future__ import annotations

import json
from functools import cache
from hashlib import blake2b
from pathlib import Path

from tools.mutants.running import Outcome, Trial

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "build" / "mutants.json"


def key_of(trial: Trial) -> str:
    """The fault and the test, with the texts of the file that is broken and of the file with the test."""
    file = ROOT / trial.test.partition("::")[0]
    parts = (str(trial.mutation), trial.function, trial.test, _text(file), _text(trial.path) if trial.path else "")
    return blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def known() -> dict[str, str]:
    """Key of a trial: what became of it."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def keep(outcome: Outcome) -> None:
    """Note an outcome at once."""
    found = known()
    found[key_of(outcome.trial)] = outcome.words
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(json.dumps(found, indent=0, sort_keys=True), encoding="utf-8")
