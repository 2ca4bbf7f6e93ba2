"""What objects show in notebooks where print would do: the same words, as they are."""

import html


def preformatted(text: str) -> str:
    """Words with their line breaks, harmless whatever names are in them."""
    return f'<pre style="white-space: pre-wrap">{html.escape(text)}</pre>'


class Shown:
    """Shows itself in notebooks as `print` shows it."""

    def _repr_html_(self) -> str:
        return preformatted(str(self))
