"""Names of solids and joints: those of the file where they are unique, made so where they are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cotree.model.naming import printable


def solid_names(paths: list[tuple[str, ...]]) -> list[str]:
    """The part's name; where several have it, that of the assemblies around it in front; numbers as the last resort."""
    paths = [tuple(printable(part) for part in path) for path in paths]
    often = Counter(path[-1] for path in paths)
    return numbered(path[-1] if often[path[-1]] == 1 else "/".join(path[1:] or path) for path in paths)


def numbered(names: Iterable[str]) -> list[str]:
    """The second of a name gets .2, and so on."""
    names = list(names)
    taken: set[str] = set()
    found = []
    for name in names:
        unique, k = name, 1
        while unique in taken or (k > 1 and unique in names):  # a later one may be called so by itself
            k += 1
            unique = f"{name}.{k}"
        taken.add(unique)
        found.append(unique)
    return found
