"""Graphs of mechanisms: spanning tree, cotree, fundamental loops. No floating point here."""

from cotree.topology.exchange import ChangingTree
from cotree.topology.graph import Graph
from cotree.topology.loops import Loop, fundamental_loop, fundamental_loops
from cotree.topology.spanning import RootedTree, SpanningTree, spanning_tree

__all__ = [
    "ChangingTree", "Graph", "Loop", "RootedTree", "SpanningTree", "fundamental_loop", "fundamental_loops", "spanning_tree",
]  # fmt: skip
