"""From a Mechanism to tables of numbers."""

from cotree.system.compile import compile_mechanism
from cotree.system.families import Systems
from cotree.system.system import System

__all__ = ["System", "Systems", "compile_mechanism"]
