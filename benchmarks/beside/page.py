"""benchmarks/beside/README.md and its plots, from benchmarks/results/beside.json: `python -m benchmarks.beside.page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "benchmarks" / "results" / "beside.json"
PAGE = ROOT / "benchmarks" / "beside" / "README.md"
FIGURES = ROOT / "docs" / "figures"
WORDS = {"cotree": "Cotree", "pinocchio": "Pinocchio", "mujoco": "MuJoCo", "exudyn": "Exudyn", "mjbatch": "mjbatch"}
COLORS = {"cotree": "tab:blue", "pinocchio": "tab:orange", "mujoco": "tab:green", "exudyn": "tab:red"}
MANY = "many runs, "  # how the names of tasks begin that are of many runs


class Costs(NamedTuple):
    """A table and a plot of the cost of one evaluation against a number."""

    title: str
    words: str
    number: str


CALLED = "Microseconds of processor time for one evaluation, called from Python, against the number of joints."
IN_BATCHES = """Microseconds of processor time for a state of a chain of 30 joints on one processor, against how many there are.
Cotree takes them in one call; Pinocchio and MuJoCo are called for one state after the other."""
CHAINS = {
    "forward dynamics": Costs("Forward dynamics of a chain", CALLED, "joints"),
    "derivatives": Costs("Its derivatives by q, v and forces", CALLED, "joints"),
    "batches": Costs("Forward dynamics of many states", IN_BATCHES, "states"),
}
RUNS = {"four-bar": "Four-bar, 10 s", "heavy top": "Heavy top, 10 s"}
TARGETS = (1e-2, 1e-4, 1e-6)  # metres
WITHIN = 1e-4  # metres, of many runs


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))["tasks"]
    return found


def tools(task: dict[str, Any]) -> list[str]:
    return [tool for tool in WORDS if tool in task]


def page(found: dict[str, Any]) -> str:
    """The text of the page."""
    parts = [
        "# Benchmarks\n",
        "Made by `make bench` from `benchmarks/results/beside.json`; do not edit.",
        "Each program is measured in a process of its own; the programs take turns.",
        "The number of rounds is below each table.",
        "Figures are the best of all rounds; in brackets the worst.\n",
        *(f"## {costs.title}\n\n{_chain(found[task], costs)}" for task, costs in CHAINS.items() if task in found),
        *(f"## {title}\n\n{_run(found[task])}" for task, title in RUNS.items() if task in found),
        *([f"## Many runs\n\n{_many(found)}"] if _of_many(found) else []),
        f"## Start and memory\n\n{_start(found)}" if "start" in found else "",
        f"## Where Cotree loses\n\n{_losses(found)}\n",
    ]
    return "\n".join(parts)


def _stamp(task: dict[str, Any]) -> str:
    a = task["about"]
    versions = ", ".join(f"{k} {v}" for k, v in a["versions"].items())
    words = f"\n{a['date']}, {a['processor']}, {a['cores']} cores, rounds: {a['rounds']}; {versions}."
    busy = f" The machine was busy with other work (load {a['load']:g}): take the ratios, not the times."
    return words + (busy if a["load"] > a["cores"] else "") + "\n"


def _pair(x: list[float]) -> str:
    return f"{x[0]:.3g} ({x[1]:.3g})"


def _chain(task: dict[str, Any], costs: Costs) -> str:
    names = tools(task)
    lines = [f"{costs.words}\n"]
    if "mujoco" in task:
        lines.append("MuJoCo's is `mj_forward`, which also looks for contacts and sensors, of which there are none.\n")
    lines += [f"| {costs.number} | {' | '.join(WORDS[t] for t in names)} |", "|---" * (1 + len(names)) + "|"]
    for n in task[names[0]]:
        cells = [
            _pair(task[t][n]) + ("" if t == "cotree" else f", ×{task[t][n][0] / task['cotree'][n][0]:.1f}")
            for t in names
        ]
        lines.append(f"| {n} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n" + _stamp(task)


def cost(task: dict[str, Any], tool: str, target: float) -> float | None:
    """Seconds of the quickest setting that stays within the target."""
    good = [r["seconds"][0] for r in task[tool]["rows"] if r["error"] <= target]
    return min(good, default=None)


def _run(task: dict[str, Any]) -> str:
    names = tools(task)
    lines = ["Seconds of the quickest setting that was tried and stays within this distance of the reference.\n"]
    lines += [f"| position error | {' | '.join(WORDS[t] for t in names)} |", "|---" * (1 + len(names)) + "|"]
    for target in TARGETS:
        costs = [cost(task, t, target) for t in names]
        ours = cost(task, "cotree", target)
        cells = [
            "not reached" if c is None else f"{c:.3g}" + (f", ×{c / ours:.1f}" if ours and c != ours else "")
            for c in costs
        ]
        lines.append(f"| {target:g} m | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n" + _stamp(task)


def _of_many(found: dict[str, Any]) -> dict[str, Any]:
    """Tasks of many runs that Cotree was measured in, by the mechanism."""
    return {name.removeprefix(MANY): x for name, x in found.items() if name.startswith(MANY) and "cotree" in x}


def _many(found: dict[str, Any]) -> str:
    """One row for each mechanism and program."""
    tasks = _of_many(found)
    lines = [
        "Runs of ten seconds from different velocities, on all processors: `ct.simulate_many` on lanes, MuJoCo's threaded",
        "`rollout`, and [mjbatch](https://pypi.org/project/mjbatch/), which brings a MuJoCo of its own version.",
        "Milliseconds of processor time for one run, by the quickest setting tried that keeps every joint and mass centre",
        f"within {WITHIN:g} m of the reference; MuJoCo's loops are soft by design, and reach that with short steps only.\n",
        "| | program | setting | position error | processor time of a run | |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, task in tasks.items():
        ours = task["cotree"]["seconds"][0]
        for tool in tools(task):
            x = task[tool]
            reached = "" if x["error"] <= WITHIN else " (not reached)"
            word = "MuJoCo rollout" if tool == "mujoco" else WORDS[tool]
            ratio = "" if tool == "cotree" else f"×{x['seconds'][0] / ours:.1f}"
            milliseconds = _pair([1e3 * s for s in x["seconds"]])
            lines.append(
                f"| {name} | {word} | {x['setting']} | {x['error']:.1e} m{reached} | {milliseconds} ms | {ratio} |"
            )
    return "\n".join(lines) + "\n" + "".join(_stamp(task) for task in list(tasks.values())[:1])


def _start(found: dict[str, Any]) -> str:
    lines = ["Processor seconds and the most memory of a new process.\n", "| | seconds | MB |", "|---|---|---|"]
    for tool in tools(found["start"]):
        for what, x in found["start"][tool].items():
            lines.append(f"| {WORDS[tool]}, {what} | {_pair(x['seconds'])} | {x['megabytes'][0]:.0f} |")
    for what, x in found.get("compiling", {}).get("cotree", {}).items():
        lines.append(
            f"| Cotree, {what}, nothing stored (once per machine) | {x['seconds'][0]:.3g} | {x['megabytes'][0]:.0f} |"
        )
    return "\n".join(lines) + "\n" + _stamp(found["start"])


def _losses(found: dict[str, Any]) -> str:
    """Every figure above in which another program is better."""
    lines = []
    for name in (n for n in CHAINS if n in found):
        task = found[name]
        for tool in tools(task)[1:]:
            worse = [n for n in task["cotree"] if task[tool][n][0] < task["cotree"][n][0]]
            unit = CHAINS[name].number.removesuffix("s" if worse == ["1"] else "")
            lines += [f"- {name}: {WORDS[tool]} is quicker for {', '.join(worse)} {unit}"] if worse else []
    for name in (n for n in RUNS if n in found):
        for tool in tools(found[name])[1:]:
            for target in TARGETS:
                ours, theirs = (cost(found[name], t, target) for t in ("cotree", tool))
                if theirs is not None and (ours is None or theirs < ours):
                    lines.append(f"- {name} within {target:g} m: {WORDS[tool]} is quicker")
    for name, task in _of_many(found).items():
        ours = task["cotree"]
        quicker = [
            WORDS[t]
            for t in tools(task)[1:]
            if task[t]["error"] <= WITHIN and task[t]["seconds"][0] < ours["seconds"][0]
        ]
        lines += [f"- many runs of {name}: {', '.join(quicker)} is quicker"] if quicker else []
    starts = {t: found["start"][t]["import"] for t in tools(found["start"])} if "start" in found else {}
    for what in ("seconds", "megabytes"):
        less = [WORDS[t] for t in starts if t != "cotree" and starts[t][what][0] < starts["cotree"][what][0]]
        lines += [f"- importing takes fewer {what} with {', '.join(less)}"] if less else []
    return "\n".join(lines) or "In none of these figures."


def plot(found: dict[str, Any], path: Path) -> None:
    """Cost against n, and work against precision."""
    from matplotlib.figure import Figure

    wanted = [t for t in (*CHAINS, *RUNS) if t in found]
    figure = Figure(figsize=(10.0, 3.6 * -(-len(wanted) // 2)), layout="constrained")
    panels = figure.subplots(-(-len(wanted) // 2), 2, squeeze=False).ravel()
    for panel, name in zip(panels, wanted, strict=False):
        for tool in tools(found[name]):
            if name in CHAINS:
                points = [(int(n), x[0]) for n, x in found[name][tool].items()]
            else:
                points = sorted((r["error"], r["seconds"][0]) for r in found[name][tool]["rows"])
            panel.loglog(
                *zip(*points, strict=True), "o" if name in RUNS else "-o", color=COLORS[tool], label=WORDS[tool]
            )
        panel.set_title(CHAINS[name].title if name in CHAINS else RUNS[name])
        panel.set_xlabel(CHAINS[name].number if name in CHAINS else "largest position error [m]")
        panel.set_ylabel("time of one evaluation [µs]" if name in CHAINS else "time [s]")
        panel.grid(alpha=0.3, which="both")
        panel.legend(fontsize="small")
    for panel in panels[len(wanted) :]:
        panel.set_axis_off()
    figure.savefig(path, dpi=90)


def main() -> None:
    found = stored()
    plot(found, FIGURES / "benchmarks.png")
    picture = "\n![Cost against size, work against precision](../../docs/figures/benchmarks.png)\n\n## "
    PAGE.write_text(page(found).replace("\n## ", picture, 1), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
