"""Write the tables of docs/api.md, docs/gallery.md and docs/features.md: public names with the first sentence of their
docstrings, and what works with what, by the declarations.

They make the pages readable in the repository without a build; a test compares. `python tools/api_tables.py` after a change.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import cotree as ct  # noqa: E402
from cotree.model.features import CONSUMERS, FEATURES, Consumer  # noqa: E402

PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
JOINTS = (
    "Revolute", "Prismatic", "Helical", "Cylindrical", "Universal", "Spherical", "Planar", "PlanarTranslation", "Translation",
    "Schoenflies", "Weld",
)  # fmt: skip
RESULTS = (  # module, class, call
    ("constraints.mobility", "Mobility", "ct.mobility"),
    ("dynamics.api", "Energy", "ct.energy"),
    ("dynamics.forward", "ForwardDynamics", "ct.forward_dynamics"),
    ("formulations.actuation.inverse", "ActuatorForces", "ct.actuator_forces"),
    ("transitions", "Transition", "ct.transition"),
    ("integrate.phases.phase", "Switch", "run.switches"),
    ("integrate.many", "Runs", "ct.simulate_many"),
    ("studies.equilibrium", "Equilibrium", "ct.equilibrium"),
    ("studies.steady", "SteadyMotion", "ct.steady_motion"),
    ("studies.linearization", "Linearization", "ct.linearize"),
    ("studies.reaching", "Reached", "ct.inverse_kinematics"),
    ("studies.floquet", "Floquet", "ct.floquet"),
    ("studies.sensitivity.api", "Sensitivities", "ct.sensitivities"),
    ("studies.fitting", "Fit", "ct.fit"),
    ("studies.optimizing", "Optimum", "ct.optimize"),
    ("studies.singularities", "Singularities", "ct.singularities"),
    ("studies.tolerancing.analysis", "Tolerances", "ct.tolerances"),
    ("studies.emergency_stop", "EmergencyStop", "ct.emergency_stop"),
    ("studies.emergency_stop", "Stop", "stop.consistent, stop.naive"),
)
PAGES = ("docs/api.md", "docs/gallery.md", "docs/features.md")


def first_sentence(thing: Any) -> str:
    """The first sentence of a docstring, on one line, with the signs of tables escaped."""
    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    found = re.match(r"(.*?[.!])(?:\s|$)", text, re.DOTALL)
    return " ".join((found[1] if found else text).split()).replace("|", "\\|")


def table(rows: list[tuple[str, Any]]) -> str:
    lines = ["| name | |", "|---|---|", *(f"| `{name}` | {first_sentence(thing)} |" for name, thing in rows)]
    return "\n".join(lines) + "\n"


def names() -> str:
    """A table for each subject."""
    parts = []
    for module, found in ct._MODULES.items():
        parts.append(f"### {ct._TITLES.get(module, module)}\n\n" + table([(n, getattr(ct, n)) for n in sorted(found)]))
    return "\n".join(parts)


def joints() -> str:
    """Coordinates of each kind of joint, by name."""
    lines = ["| joint | q | v |", "|---|---|---|"]
    for kind in (*JOINTS, "Free"):
        mech = ct.Mechanism()
        body = mech.body("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
        mech.joint("J", mech.ground, body, getattr(ct, kind)())
        system = mech.compile()
        q, v = (", ".join(f"`{n}`" for n in names) or "none" for names in (system.q_names, system.v_names))
        lines.append(f"| `ct.{kind}` | {q} | {v} |")
    return "\n".join(lines) + "\n"


def results() -> str:
    """Public attributes of what functions return."""
    lines = ["| class | returned by | attributes |", "|---|---|---|"]
    for home, name, source in RESULTS:
        cls = getattr(importlib.import_module(f"cotree.{home}"), name)
        own = [n for n in getattr(cls, "__dataclass_fields__", {}) if n[0] != "_"]
        own += [
            n for n, m in inspect.getmembers(cls) if n[0] != "_" and n not in own and n != "synonyms" and is_read(m)
        ]
        lines.append(f"| `{name}` | `{source}` | {', '.join(f'`{n}`' for n in own)} |")
    return "\n".join(lines) + "\n"


def is_read(member: Any) -> bool:
    """Whether a member is read or called: a property, or a method."""
    return isinstance(member, property) or inspect.isfunction(member) or hasattr(member, "func")


def errors() -> str:
    return table(
        [(n, c) for n, c in vars(ct.errors).items() if inspect.isclass(c) and issubclass(c, ct.errors.CotreeError)]
    )


def theory() -> str:
    return table([(f"theory.{n}", getattr(ct.theory, n)) for n in ct.theory.__all__])


def members() -> str:
    """Methods and properties of the three classes that users hold in their hands."""
    parts = []
    for c in (ct.Mechanism, ct.System, ct.Run):
        found = [(n, m) for n, m in inspect.getmembers(c) if not n.startswith("_") and _documented(m)]
        parts.append(
            f"### {c.__name__}\n\n" + table([(f".{n}{'()' if inspect.isfunction(m) else ''}", m) for n, m in found])
        )
    return "\n".join(parts)


def _documented(member: Any) -> bool:
    return (inspect.isfunction(member) or isinstance(member, property) or hasattr(member, "func")) and bool(
        inspect.getdoc(member)
    )


def gallery() -> str:
    return table([(f"{name}()", getattr(ct.gallery, name)) for name in ct.gallery.__all__])


def load_declarations() -> dict[str, Consumer]:
    """All consumers, by their names: of each module that declares one."""
    source = ROOT / "src"
    for path in sorted(source.rglob("*.py")):
        if re.search(r"^[A-Z_]+ = declare\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(path.relative_to(source).with_suffix("").parts))
    return dict(sorted(CONSUMERS.items()))


def features() -> str:
    rows = [f"| {f.name} | {f.kind} | {f.meaning} |" for f in FEATURES.values()]
    return "\n".join(["| feature | kind | |", "|---|---|---|", *rows]) + "\n"


def consumers() -> str:
    """What each leaves out or refuses, and why."""
    lines = ["| | leaves out | refuses | why |", "|---|---|---|---|"]
    for consumer in load_declarations().values():
        verdicts: dict[tuple[str, str], list[str]] = {}
        for feature in FEATURES:
            word, reason, _ = consumer.verdict(feature)
            verdicts.setdefault((word, reason), []).append(feature)
        for (word, reason), names in verdicts.items():
            cells = (_by_kind(names), "") if word == "leaves out" else ("", _by_kind(names))
            lines += [f"| {consumer.name} | {cells[0]} | {cells[1]} | {reason} |"] if word != "handles" else []
        if len(verdicts) == 1:
            lines.append(f"| {consumer.name} | | | |")
    return "\n".join(lines) + "\n"


def _by_kind(names: list[str]) -> str:
    """Features, with one word for a kind where all of it are there."""
    kinds = {f.kind: [g.name for g in FEATURES.values() if g.kind == f.kind] for f in FEATURES.values()}
    whole = {kind: own for kind, own in kinds.items() if len(own) > 1 and set(own) <= set(names)}
    single = [n for n in names if FEATURES[n].kind not in whole]
    return ", ".join([*(f"all {kind}" for kind in whole), *single])


MAKERS = {
    "joints": joints,
    "results": results,
    "errors": errors,
    "theory": theory,
    "features": features,
    "consumers": consumers,
    "names": names,
    "members": members,
    "gallery": gallery,
}


def filled(text: str) -> str:
    """A page with the tables of now."""
    return PLACE.sub(lambda m: f"{m[1]}{MAKERS[m[2]]()}{m[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(page)
