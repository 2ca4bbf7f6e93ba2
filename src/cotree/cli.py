"""The command line: inspect a model file, run it, view the results.

Exit codes: 0 success, 1 a run failed or a mechanism cannot be assembled, 2 invalid command or file,
130 interrupted.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
import tempfile
import warnings
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cotree as ct
from cotree.engine.bar import bar
from cotree.errors import ChoiceError, CotreeError, DocumentError, ModelError
from cotree.io.atomic import write_utf8
from cotree.model.functions import missing_functions
from cotree.model.naming import printable
from cotree.papers import command as papers

GOOD, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
PARTS = (
    "division", "lanes", "choices", "first_run", "functions", "switching", "contacts", "batches", "sensors",
    "stepping", "elements", "pictures",
)  # fmt: skip  # recipes of studies/warming.py
RESULTS = (".h5", ".hdf5")
EXAMPLES = """examples:
  cotree gallery                                   list the example mechanisms
  cotree gallery four_bar --html four_bar.html     simulate one and write a page that plays the motion
  cotree gallery four_bar --save four_bar.json     write one as a model file
  cotree check four_bar.json                       tree, loops, mobility, redundant constraints
  cotree run four_bar.json --t-end 10 --html four_bar.html --out four_bar.h5
  cotree view four_bar.h5                          play the motion in the browser
  cotree view four_bar.h5 --live                   the same in a live viewer (pip install 'cotree[view]')
  cotree view four_bar.json                        show the mechanism at rest
  cotree warm                                      compile everything now instead of on first use
  cotree sweep study.toml                          compute a parameter study, or resume it, and write its report
  cotree papers --out papers.html                  check the five papers' examples and write a report
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command `cotree`; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.act(options)
        return code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except CotreeError as error:
        print(printable(f"cotree: {error}"), file=sys.stderr)
        return WRONG if isinstance(error, ModelError | ChoiceError) else FAILED
    except OSError as error:
        print(printable(f"cotree: {error.filename or 'file'}: {error.strerror or error}"), file=sys.stderr)
        return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cotree", description="Multibody dynamics on Lie groups, closed loops first.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"cotree {ct.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _check_options(
        _command(commands, "check", "print tree, loops, mobility and redundant constraints of a model file", check)
    )
    _run_options(_command(commands, "run", "simulate a model file", run))
    _view_options(_command(commands, "view", "show the results of a run, or a mechanism, in the browser", view))
    shown = _command(commands, "gallery", "list, show or save example mechanisms", gallery)
    shown.add_argument("name", nargs="?", help="mechanism to show or save; without it, all are listed")
    shown.add_argument("--save", help="write it as a model file (.json, .yaml, .toml, .urdf, .xml)")
    shown.add_argument("--html", help="simulate it and write a page that plays the motion")
    shown.add_argument("--t-end", type=float, default=10.0, help="seconds to simulate for --html (10)")
    shown.add_argument("--json", action="store_true", help="print JSON")
    warmed = _command(commands, "warm", "compile everything in advance, on all cores", warm)
    warmed.add_argument("--jobs", type=int, help="number of parallel processes (default: one per core)")
    warmed.add_argument(
        "--only", nargs="+", metavar="PART", choices=PARTS, help=f"compile only these: {', '.join(PARTS)}"
    )
    made = _command(
        commands, "studio", "open a mechanism in the browser: move, set, run, plot, save (needs viser)", studio
    )
    made.add_argument("what", nargs="?", help="model file, or name of a mechanism of the gallery (default: four_bar)")
    made.add_argument("--port", type=int, help="port (default: the first free one from 8080)")
    made.add_argument("--no-browser", action="store_true", help="print the address and do not open a browser")
    _sweep_options(_command(commands, "sweep", "compute a parameter study and write a report", sweep))
    papers.options(_command(commands, "papers", "run the five papers' examples and write a report", papers.papers))
    return parser


def _command(commands: Any, name: str, words: str, act: Any) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=words, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )  # fmt: skip
    made.set_defaults(act=act)
    return made


def _system_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="model file: .json, .yaml, .toml, .urdf, .sdf, .xml (MJCF)")
    parser.add_argument(
        "--coordinates", default="relative", choices=("relative", "absolute"), help="coordinates (default: relative)"
    )
    parser.add_argument("--limits", action="store_true", help="robot files: turn joint limits into stops")
    parser.add_argument("--floating", action=argparse.BooleanOptionalAction, help="robot files: floating or fixed base")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _load(options: argparse.Namespace, missing: str = "raise") -> Any:
    """The mechanism. What could not be imported is in its notes, which are printed, so the warnings are suppressed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ct.load(options.file, missing=missing, floating=options.floating, limits=options.limits)


def _check_options(parser: argparse.ArgumentParser) -> None:
    _system_options(parser)


def _run_options(parser: argparse.ArgumentParser) -> None:
    _system_options(parser)
    parser.add_argument("--t-end", type=float, required=True, help="end time [s]")
    parser.add_argument("--out", help="write the results here (.h5)")
    parser.add_argument("--html", help="write an HTML page that plays the motion")
    parser.add_argument("--plot", help="write plots over time (.png, .pdf or .svg)")
    parser.add_argument("--csv", help="write a table over time (.csv)")
    parser.add_argument("--rows", type=int, default=201, help="number of output rows (default: 201)")
    parser.add_argument("--method", default="auto", help="integration method, as in ct.simulate (default: auto)")
    parser.add_argument("--formulation", default="auto", help="formulation, as in ct.simulate (default: auto)")
    parser.add_argument("--step", type=float, help="fixed step size [s] (default: adaptive)")
    parser.add_argument("--rtol", type=float, help="relative tolerance (default: 1e-8)")
    parser.add_argument("--atol", type=float, help="absolute tolerance (default: 1e-8)")
    parser.add_argument("--quiet", action="store_true", help="print errors only, and no progress")


def _view_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="results (.h5), or a model file, shown at rest")
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--html", help="write the page to this file and do not open it (default: next to FILE, and open it)"
    )
    way.add_argument("--live", action="store_true", help="open a live view (needs viser); Ctrl-C ends it")
    parser.add_argument("--port", type=int, help="port of the live view (default: the first free one from 8080)")


def _sweep_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="study file (.toml), see docs/many.md")
    parser.add_argument("--out", help="directory of the results (default: FILE without its extension)")
    parser.add_argument("--workers", type=int, help="number of processes (default: one per core)")
    parser.add_argument("--client", help="address of a Dask scheduler, instead of processes of this machine")
    parser.add_argument("--worst", type=int, default=3, help="number of worst cases of each result with a page (3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="print errors only, and no progress")


def check(options: argparse.Namespace) -> int:
    """Report on a mechanism, with or without its Python functions."""
    return _report(_load(options, missing="zero"), options.coordinates, options.json)


def _report(mech: Any, coordinates: str, as_json: bool) -> int:
    system = mech.compile(coordinates=coordinates)
    q = ct.assemble(system, system.q0)
    mobility, found = ct.mobility(system, q), ct.forward_dynamics(system, q)
    regularization = ct.regularization(system)
    notes = [
        *mech.notes,
        *(f"the function of {who} was not supplied; taken as zero" for who in missing_functions(mech)),
    ]
    if as_json:
        loops = [
            {"joint": c.joint, "rows": c.full, "kept": len(c.kept), "keeps": c.kept, "drops": c.dropped,
             "elsewhere": {x.joint: len(x.kept) for x in loop.cuts[1:]}}
            for loop in regularization.loops for c in [loop.chosen]
        ]  # fmt: skip
        print(json.dumps({
            "name": system.name, "bodies": system.n_bodies, "joints": len(system.joint_names), "nq": system.nq, "nv": system.nv,
            "constraints": system.n_constraints, "dof": mobility.local, "grubler": mobility.grubler, "kind": mobility.kind,
            "singular": mobility.singular, "loops": loops, "redundant": list(mobility.redundant),
            "undetermined": list(found.undetermined), "notes": notes,
        }))  # fmt: skip
        return GOOD
    print(printable(str(system)))
    print(printable(str(mobility)))
    if regularization.loops:
        print(printable(str(regularization)))
    if found.undetermined:
        print(f"  reactions that rigid bodies leave undetermined: {', '.join(found.undetermined)}")
    _print_notes(notes)
    return GOOD


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print(printable(f"note: {note}"))


def run(options: argparse.Namespace) -> int:
    """Simulate, print the certificate, write the requested files."""
    asked = {k: getattr(options, k) for k in ("out", "html", "plot", "csv") if getattr(options, k)}
    _check_places(asked)
    bar.hidden = options.quiet or options.json
    mech = _load(options)
    relative = options.coordinates == "relative"
    tolerances = {k: x for k in ("rtol", "atol") if (x := getattr(options, k)) is not None}
    found = ct.simulate(
        mech if relative else mech.compile(coordinates=options.coordinates), options.t_end, method=options.method,
        formulation=options.formulation, step=options.step, output=options.rows, **tolerances,
        progress=False if options.quiet or options.json else None,  # else on a terminal, where it takes long
    )  # fmt: skip
    written = _write(found, asked)
    if options.json:
        print(json.dumps(_summary(found, written)))
    elif not options.quiet:
        print(printable(str(found)))
        _print_notes(mech.notes)
        for kind, path in written.items():
            print(f"{kind}: {path}")
    if len(written) < len(asked):
        return WRONG
    return GOOD if found.status in ("done", "event") else INTERRUPTED if found.status == "interrupted" else FAILED


def _check_places(asked: dict[str, str]) -> None:
    """Raise if an output file cannot be written, before time is spent on the run."""
    for kind, path in asked.items():
        folder = Path(path).absolute().parent
        if not folder.is_dir():
            raise DocumentError(f"--{kind} {path}: the directory {folder} does not exist; create it first")
        if Path(path).is_dir():
            raise DocumentError(f"--{kind} {path} is a directory; give the name of a file")
        if not os.access(Path(path) if Path(path).exists() else folder, os.W_OK):
            raise DocumentError(f"--{kind} {path} is not writable; choose another path")


def _write(found: Any, asked: dict[str, str]) -> dict[str, str]:
    """Write the requested files; where one fails, report it and save the results elsewhere. Returns the files written."""
    writers = {
        "out": found.save, "html": found.html, "plot": found.plot,
        "csv": lambda path: write_utf8(path, found.to_dataframe().to_csv(lineterminator="\n")),
    }  # fmt: skip
    written = {}
    for kind, path in asked.items():
        try:
            writers[kind](path)
            written[kind] = path
        except Exception as error:  # of any kind: the results must not be lost
            print(printable(f"cotree: {path} cannot be written: {error}"), file=sys.stderr)
    if len(written) < len(asked) and "out" not in written:
        handle, kept = tempfile.mkstemp(prefix="cotree-", suffix=".h5")
        os.close(handle)
        found.save(kept)
        print(f"cotree: the results were saved to {kept}", file=sys.stderr)
    return written


def _number(value: Callable[[], Any]) -> float | None:
    """A number of a run; None where it is out of range."""
    try:
        return float(value())
    except CotreeError:
        return None


def _summary(found: Any, written: dict[str, str]) -> dict[str, Any]:
    last = {"t": float(found.t[-1]), "q": found.q[-1].tolist(), "v": found.v[-1].tolist()} if len(found.t) else {}
    violation = _number(lambda: found.violation.max(initial=0.0))
    balance = _number(lambda: abs(found.energy.balance).max(initial=0.0))
    events = [{"name": e.name, "t": e.t} for e in found.events]
    doubts = [{"kind": w.kind, "text": str(w), "t": w.t} for w in found.warnings]
    return {
        "name": found.system.name, "status": found.status, "message": found.message, "last": last, "violation": violation,
        "energy_balance": balance, "warnings": doubts, "events": events,
        "crossings": [c.t for c in found.crossings], "statistics": found.statistics, "files": written,
    }  # fmt: skip


def view(options: argparse.Namespace) -> int:
    """Write the page of a run or a mechanism and open it; or show it live."""
    is_run = Path(options.file).suffix.lower() in RESULTS
    shown = ct.load_run(options.file) if is_run else ct.load(options.file)
    if options.live:
        shown.view(port=options.port, open=True, wait=True)
        return GOOD
    path = Path(options.html or Path(options.file).with_suffix(".html"))
    if isinstance(shown, ct.Run):
        shown.html(path)
    else:
        from cotree.view import write_rest_page

        write_rest_page(shown, path)
    print(path)
    if not options.html:
        webbrowser.open(path.resolve().as_uri())
    return GOOD


def studio(options: argparse.Namespace) -> int:
    """Open the studio and stay until Ctrl-C."""
    from cotree.studio import Bench, Studio

    name = options.what or "four_bar"
    bench = Bench.of_gallery(name) if name in ct.gallery.__all__ else Bench.of_file(Path(name))
    made = Studio(bench, port=options.port)
    if options.no_browser:
        made.wait(f"{made.url} (Ctrl-C to quit)")
    else:
        made.show(True, True)
    return GOOD


def warm(options: argparse.Namespace) -> int:
    """Compile in advance and report."""
    from cotree.studies.warming import warm as compiled

    found = compiled(options.only or PARTS, options.jobs)
    for part in found["failed"]:
        print(f"cotree: {part} could not be compiled now; it will be compiled on first use", file=sys.stderr)
    done = len(options.only or PARTS) - len(found["failed"])
    processes = f"{found['processes']} process{'es' if found['processes'] > 1 else ''}"
    print(f"{done} parts: {found['kernels']} functions compiled and cached in {found['seconds']:.0f} s by {processes}")
    return FAILED if found["failed"] else GOOD


def sweep(options: argparse.Namespace) -> int:
    """Compute or resume a study and write its report."""
    from cotree.studies.sweeps.command import run_study

    return run_study(options)


def gallery(options: argparse.Namespace) -> int:
    """List the gallery, or show or save one mechanism."""
    if options.name is None:
        words = {name: (inspect.getdoc(getattr(ct.gallery, name)) or "").split("\n")[0] for name in ct.gallery.__all__}
        if options.json:
            print(json.dumps(words))
        else:
            width = max(map(len, words))
            print("\n".join(f"{name:<{width}}  {line}" for name, line in words.items()))
        return GOOD
    mech = ct.gallery.named(options.name)
    if options.save:
        ct.save(mech, options.save)
        print(options.save)
    if options.html:
        return _played(mech, options.t_end, options.html)
    return GOOD if options.save else _report(mech, "relative", options.json)


def _played(mech: Any, t_end: float, path: str) -> int:
    """Simulate a mechanism, print the certificate and write the page of the run."""
    _check_places({"html": path})
    found = ct.simulate(mech, t_end, output=201)
    print(printable(str(found)))
    if not _write(found, {"html": path}):
        return WRONG
    print(f"html: {path}")
    return GOOD if found.status in ("done", "event") else FAILED


if __name__ == "__main__":
    sys.exit(main())
