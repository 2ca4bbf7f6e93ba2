"""Graphs of mechanisms: spanning tree, cotree, fundamental loops. No floating point here."""

from cotree.topology.graph import Graph
from cotree.topology.loops import Loop, fundamental_loops
from cotree.topology.spanning import SpanningTree, spanning_tree

__all__ = ["Graph", "Loop", "SpanningTree", "fundamental_loops", "spanning_tree"]
