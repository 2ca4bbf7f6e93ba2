"""Build sdist and wheel, install the wheel into an empty environment and use it there; fail at the first thing that fails.

The wheel is built from the sdist, so that a file missing there is noticed. Nothing of the repository is on the path of the new
environment, and it is run in a folder of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USED = """
import cotree as ct, cotree.papers, importlib.metadata, pathlib
assert ct.__version__ == importlib.metadata.version("cotree")
home = pathlib.Path(ct.__file__).parent
assert (home / "py.typed").is_file() and (home / "__init__.pyi").is_file() and (home / "papers" / "page.css").is_file()
print("cotree", ct.__version__, "in", home.parent.name)
"""
SOURCES = (
    "Makefile",
    "equations.toml",
    "tests/conftest.py",
    "docs/tutorial.md",
    "examples/four_bar.py",
    "CHANGELOG.md",
)


def built(folder: Path) -> tuple[Path, Path]:
    """(sdist, wheel made from it) in a folder."""
    run(sys.executable, "-m", "build", "--quiet", "--outdir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    missing = [name for name in SOURCES if name not in names]
    if missing:
        sys.exit(f"{sdist.name} lacks {', '.join(missing)}")
    return sdist, wheel


def run(*command: object, cwd: Path | None = None) -> str:
    """What a command prints; the end, if it fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist, wheel = built(folder / "dist")
        print(f"{sdist.name} {sdist.stat().st_size / 1e6:.1f} MB, {wheel.name} {wheel.stat().st_size / 1e6:.1f} MB")
        venv.create(folder / "env", with_pip=True)
        bin = folder / "env" / "bin"
        run(bin / "python", "-m", "pip", "install", "--quiet", wheel)
        print(run(bin / "python", "-c", USED, cwd=folder), end="")
        print(run(bin / "cotree", "gallery", "four_bar", "--html", "x.html", cwd=folder), end="")
        page = (folder / "x.html").read_text(encoding="utf-8")
        if "four-bar" not in page or "</html>" not in page:
            sys.exit("x.html is not the page of the run")
        print(run(bin / "cotree", "papers", "--list", cwd=folder).count("\n"), "examples of the papers")


if __name__ == "__main__":
    main()
