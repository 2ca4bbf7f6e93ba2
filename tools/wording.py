"""The wording of the package: words and phrases that are avoided in strings, docstrings and comments of `src`, in pages, README
and changelog, with what to write instead. Prints the offenders and fails if there are any."""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "cotree"

AVOIDED = {  # in any case of letters
    r"(?<!there )\b(is|are) no (?!longer|more than|less than|larger|greater)": "is not a ..., has no ...",
    r"\b(is|are) none of\b": "is not one of",
    r"open in the balance|energy books": "energy balance closes to within, energy balance",
    r"\bagrees? in kind\b": "agrees qualitatively",
    r"\bof way\b|\bor way \[|\bway \[m\]": "displacement, distance, path",
    r"\bcannot be had\b|\bcan be had\b": "is not available, cannot be expressed",
    r"\bbeyond all (numbers|range|floats)\b|\bthan numbers reach\b": "infinite, overflows",
    r"\b(nobody|strangers)\b": "nothing else, other programs",
    r"\bfor machines\b": "machine-readable, JSON",
    r"\bwhat there is\b|\ball there is\b|\bthat is not there\b|\bare not there\b": "everything, is missing",
    r"\bby its place\b|\bby their places\b": "by position, by index",
    r"\bbroken off\b": "interrupted",
    r"\bfor ever\b": "permanently",
    r"\bthe greatest\b|\bgreatest (change|distance|angle|gap)\b": "largest",
    r"\bMETHODS \d": "cite a paper, not an internal document",
    r"\bcannot say\b|\bcannot be said\b": "cannot express",
    r"\blook(s|ed)? (at )?whether\b": "check whether",
    r"\bone (row|line|column|entry|number|suffix|file) an? [a-z]+": "one ... per ...",
    r"\b(is|files) of the kind\b": "of type",
    r"\b(functions?|rows) of the user\b": "user function, user-defined",
    r"\b(is|are) told (by|in|from)\b|\btold against\b|\btells? of\b": "given by, describes, shows",
    r"\bhangs? (from|nowhere)\b": "is connected to, is attached to",
    r"\bgo(es)? on from\b|\bgone on\b": "resume, continue",
}


IN_PAGES = {  # in prose, beside those above
    r"\bfunctions? of yours\b|\bfunctions of the user\b": "user functions",
    r"\bas momentum asks\b": "so that momentum is conserved",
    r"\bis told in\b|\bis told by\b": "is described in",
    r"\bleant on\b": "active",
    r"\bstays? out of balance\b": "is not balanced",
    r"\blost in the scan\b": "not readable in the source",
    r"\bSomething is wrong in it\b": "errors in",
    r"\bcan say (the|it|this)\b": "can represent",
    r"\bsaid in one of\b": "declared in one of",
    r"\bin words\b": "in a message, printed",
    r"\bas through glass\b": "translucent",
    r"\bnobody needs\b": "not needed",
}
REPOSITORY = ROOT.parent.parent
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/recipes/*.md")
QUOTING = ("style.md",)  # it lists them


def offences_in_pages(repository: Path = REPOSITORY) -> list[str]:
    """The same for the prose of pages; code and tables of words are left out."""
    out = []
    for path in sorted(p for pattern in PAGES for p in repository.glob(pattern) if p.name not in QUOTING):
        for line, text in prose(path.read_text(encoding="utf-8")):
            for found, better in avoided_in(text, AVOIDED | IN_PAGES):
                out.append(f"{path.relative_to(repository)}:{line}: {found!r}; write {better}")
    return out


def prose(page: str) -> Iterator[tuple[int, str]]:
    """(line, text) of a Markdown page without its blocks of code and literals."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("```"):
            yield number, re.sub(r"`[^`]*`", "…", line)


def offences(root: Path = ROOT) -> list[str]:
    """One line per avoided phrase."""
    out = []
    for path in sorted(root.rglob("*.py")):
        for line, text in texts(path.read_text()):
            for found, better in avoided_in(text):
                out.append(f"{path.relative_to(root.parent)}:{line}: {found!r}; write {better}")
    return out


def avoided_in(text: str, avoided: dict[str, str] = AVOIDED) -> Iterator[tuple[str, str]]:
    for pattern, better in avoided.items():
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield found[0], better


def texts(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of strings and comments; adjacent strings are one text, as Python reads them."""
    pending: list[str] = []
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING or tokenize.tok_name[token.type].startswith("FSTRING"):
            start = start if pending else token.start[0]
            pending.append(bare(token.string) if token.type == tokenize.STRING else token.string)
        elif pending and token.type not in (tokenize.NL, tokenize.COMMENT):
            yield start, " ".join("".join(pending).split())
            pending = []
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def bare(literal: str) -> str:
    """What is between the quotes of a literal, fields of f-strings left out."""
    text = re.sub(r"^[a-zA-Z]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", literal)
    return re.sub(r"\{[^{}]*\}", "…", text) if literal[:1] in "fF" else text


def main() -> int:
    found = [*offences(), *offences_in_pages()]
    print("\n".join(found) or "wording: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
