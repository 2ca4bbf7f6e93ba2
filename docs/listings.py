"""Files of the repository as pages with numbered lines, for links from the papers' equations to code and tests."""

import html
from pathlib import Path

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 13px/1.4 monospace }} pre {{ margin: 0 }} :target {{ background: #fd8 }}</style></head>
<body><h1>{title}</h1>
{lines}
</body></html>
"""


def address(path, line):
    """Of a line in a file of the repository, on the site."""
    return f"source/{path}.html#L{line}"


def write(root, paths, out):
    """Pages of some files of the repository into a folder that is copied to the site."""
    for path in paths:
        target = Path(out) / f"source/{path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (Path(root) / path).read_text(encoding="utf-8").splitlines()
        lines = "\n".join(f'<pre id="L{k}">{k:4} {html.escape(x)}</pre>' for k, x in enumerate(text, 1))
        target.write_text(PAGE.format(title=html.escape(path), lines=lines), encoding="utf-8")
