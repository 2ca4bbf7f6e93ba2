"""What words without quotes mean in YAML: as in its version 1.2, where 1:30 is text and not 90, and yes is not true."""

from __future__ import annotations

import re
from typing import Any

SIGNS, DIGITS = "-+", "0123456789"
RULES = {  # in this order; what none of them fits is text, so dates are, too
    "null": (r"~|null|Null|NULL|", ("~", "n", "N", "")),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", SIGNS + DIGITS),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        SIGNS + DIGITS + ".",
    ),
    "merge": (r"<<", "<"),
}
BASES = {"0o": 8, "0x": 16}
BREAKS = re.compile("[\x85\u2028\u2029\ufeff]")  # line ends of Unicode, which are kept between double quotes only


def read_as_in_12(loader: Any) -> Any:
    """A class of loaders of PyYAML, made to know these rules and no others."""
    loader.yaml_implicit_resolvers = {}
    also_in_12(loader)
    loader.add_constructor("tag:yaml.org,2002:int", lambda self, node: whole(self.construct_scalar(node)))
    loader.add_constructor("tag:yaml.org,2002:float", lambda self, node: real(self.construct_scalar(node)))
    return loader


def also_in_12(dumper: Any) -> Any:
    """A class of dumpers that puts quotes around text that these rules would take for something else."""
    for kind, (pattern, first) in RULES.items():
        dumper.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(rf"(?:{pattern})\Z"), list(first))
    return dumper


def keep_breaks(dumper: Any) -> Any:
    """A class of dumpers that writes line ends of Unicode so that they come back as they were."""
    dumper.add_representer(str, _text)
    return dumper


def _text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if BREAKS.search(text) else None)


def whole(word: str) -> int:
    return int(word, BASES.get(word[:2], 10))


def real(word: str) -> float:
    special = re.fullmatch(r"([-+]?)\.(inf|nan)", word.lower())
    return float(special[1] + special[2]) if special else float(word)
