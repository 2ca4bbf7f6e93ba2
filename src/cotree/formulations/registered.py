"""The formulations of the package, each of which registers itself when it is imported; a further one is a line here."""

from cotree.formulations import dense as dense
from cotree.formulations.odca import time_loop as time_loop
