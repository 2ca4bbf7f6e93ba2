"""`cotree studio`: a mechanism in the browser, for people who do not program."""

from cotree.studio.bench import Bench
from cotree.studio.studio import Studio

__all__ = ["Bench", "Studio"]
