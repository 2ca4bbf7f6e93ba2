"""The layer rule: a lower layer never imports a higher one. Prints the offenders and fails if there are any."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ORDER = [
    "engine", "lie", "screws", "topology", "model", "system", "kinematics", "dynamics", "constraints",
    "formulations", "derivatives", "transitions", "sensors", "integrate", "io", "view", "export", "studies", "gallery",
    "papers", "studio",
]  # fmt: skip
ROOT = Path(__file__).resolve().parent.parent / "src" / "cotree"


# what methods return that a higher layer computes (`mech.compile()`, `run.view()`): named for type checkers, never loaded
RETURNED = ("cotree.system.system", "cotree.view.live.posing", "cotree.view.live.playing")


def imported_modules(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, module) of each absolute import; of those for type checkers all but the types that methods return."""
    found, named = [], set(_for_type_checkers(tree))
    for node in ast.walk(tree):
        if node in named and isinstance(node, ast.ImportFrom) and node.module in RETURNED:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.lineno, node.module))
            found += [(node.lineno, f"{node.module}.{a.name}") for a in node.names if node.module == "cotree"]
        elif isinstance(node, ast.Import):
            found += [(node.lineno, a.name) for a in node.names]
    return found


def _for_type_checkers(tree: ast.AST) -> list[ast.stmt]:
    """Statements of `if TYPE_CHECKING:` blocks."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    return [statement for block in blocks for statement in block.body]


def offences(root: Path = ROOT) -> list[str]:
    out = []
    for path in sorted(root.rglob("*.py")):
        here = path.relative_to(root).parts[0]
        if here not in ORDER:
            continue
        for line, module in imported_modules(ast.parse(path.read_text())):
            parts = module.split(".")
            there = parts[1] if parts[0] == "cotree" and len(parts) > 1 else None
            if there in ORDER and ORDER.index(there) > ORDER.index(here):
                out.append(f"{path.relative_to(root.parent)}:{line}: {here} imports the higher layer {there}")
    return out


if __name__ == "__main__":
    found = offences()
    print("\n".join(found) if found else "layers: clean")
    sys.exit(bool(found))
