"""Compile all there is for processors of the kind x86-64-v3 into src/cotree/_compiled, for a wheel that carries it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cotree.engine import packaged

ENVIRONMENT = {
    "NUMBA_CPU_NAME": packaged.CPU,
    "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in packaged.FEATURES),
}
MAGIC = (
    "from numba.core.registry import cpu_target; print(*cpu_target.target_context.codegen().magic_tuple(), sep='\\n')"
)


def main() -> None:
    shutil.rmtree(packaged.FOLDER, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | ENVIRONMENT | {"NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-m", "cotree.cli", "warm", *sys.argv[1:]], env=environment, check=True)
        magic = subprocess.run(
            [sys.executable, "-c", MAGIC], env=environment, check=True, capture_output=True, text=True
        ).stdout.splitlines()
        packaged.FOLDER.mkdir()
        for file in Path(folder).glob("*/*.nb[ic]"):
            shutil.copy(file, packaged.FOLDER / file.name)
    made_for = {"versions": packaged.versions(), "features": packaged.FEATURES, "magic": magic}
    (packaged.FOLDER / packaged.MADE_FOR).write_text(json.dumps(made_for, indent=1))
    files = list(packaged.FOLDER.glob("*.nbc"))
    print(f"{len(files)} functions, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB in {packaged.FOLDER}")


if __name__ == "__main__":
    main()
