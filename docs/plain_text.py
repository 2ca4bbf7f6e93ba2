"""Docstrings are plain text with NumPy's sections: what reStructuredText would read as markup is escaped in their text."""

import re

ITEM = re.compile(r"^\w[\w ,]{0,40}: ")  # "method: ..." at the head of a line begins a paragraph
FIELD = re.compile(
    r"^[*\w][*\w, ]* : |^[A-Z]\w*$"
)  # "q : array_like" or "AssemblyError", at the head of a line in a section
SECTIONS = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Examples", "Notes", "Attributes")


def escape(app, what, name, obj, options, lines):
    """For Sphinx's autodoc-process-docstring, before napoleon reads the sections."""
    lines[:] = escaped(lines)


def escaped(lines):
    out, section = [], ""
    for k, line in enumerate(lines):
        heading = k + 1 < len(lines) and line in SECTIONS and set(lines[k + 1]) == {"-"}
        section = line if heading else section
        if heading or section in ("Examples", "See Also") or line.startswith("---") or (section and FIELD.match(line)):
            out.append(line)
            continue
        if section and line[:1].strip():  # the type of a result
            out.append(_line(line))
            continue
        if ITEM.match(line) and out and out[-1]:
            out.append("")
        out.append(_line(line) if section else _line(line.strip()))
    return out


def _line(text):
    """`code` becomes a literal; asterisks, bars, underscores and backslashes stay what they are."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its fellow
        parts = ["'".join(parts)]
    return "".join(f"``{p}``" if i % 2 else re.sub(r"([\\*|_])", r"\\\1", p) for i, p in enumerate(parts))
