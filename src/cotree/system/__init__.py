"""From a Mechanism to tables of numbers."""

from cotree.system.compile import compile_mechanism
from cotree.system.system import System

__all__ = ["System", "compile_mechanism"]
