"""What objects show in notebooks where print would do: the same words, as they are; and lists that stay short."""

import html
from collections.abc import Iterable

MOST = 12  # entries of a list that are shown


def listed(items: Iterable[str]) -> str:
    """The first of them, and how many more there are."""
    every = list(items)
    more = [] if len(every) <= MOST else [f"and {len(every) - MOST} more"]
    return ", ".join(every[:MOST] + more)


def preformatted(text: str) -> str:
    """Words with their line breaks, harmless whatever names are in them."""
    return f'<pre style="white-space: pre-wrap">{html.escape(text)}</pre>'


class Shown:
    """Shows itself in notebooks as `print` shows it."""

    def _repr_html_(self) -> str:
        return preformatted(str(self))
