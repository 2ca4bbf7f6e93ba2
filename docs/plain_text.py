"""Docstrings are plain text: what reStructuredText would read as markup is escaped."""

import re

ITEM = re.compile(r"^\w[\w ,]{0,40}: ")  # "method: ..." at the head of a line begins a paragraph


def escape(app, what, name, obj, options, lines):
    """For Sphinx's autodoc-process-docstring."""
    lines[:] = escaped(lines)


def escaped(lines):
    out = []
    for line in lines:
        if ITEM.match(line) and out and out[-1]:
            out.append("")
        out.append(_line(line.strip()))
    return out


def _line(text):
    """`code` becomes a literal; asterisks, bars, underscores and backslashes stay what they are."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its fellow
        parts = ["'".join(parts)]
    return "".join(f"``{p}``" if i % 2 else re.sub(r"([\\*|_])", r"\\\1", p) for i, p in enumerate(parts))
