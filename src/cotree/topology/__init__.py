"""Graphs of mechanisms: spanning tree, cotree, fundamental loops, assembly plans. No mechanics here."""

from cotree.topology.exchange import ChangingTree
from cotree.topology.graph import Graph
from cotree.topology.loops import Loop, fundamental_loop, fundamental_loops
from cotree.topology.plan import Plan, assembly_plan
from cotree.topology.schedule import work_and_span
from cotree.topology.spanning import RootedTree, SpanningTree, spanning_tree

__all__ = [
    "ChangingTree",
    "Graph",
    "Loop",
    "Plan",
    "RootedTree",
    "SpanningTree",
    "assembly_plan",
    "fundamental_loop",
    "fundamental_loops",
    "spanning_tree",
    "work_and_span",
]
