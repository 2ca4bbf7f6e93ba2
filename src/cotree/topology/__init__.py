"""Graphs of mechanisms: spanning tree, cotree, fundamental loops, assembly plans. No mechanics here."""

from cotree.topology.graph import Graph
from cotree.topology.loops import Loop, fundamental_loops
from cotree.topology.plan import Plan, assembly_plan
from cotree.topology.schedule import work_and_span
from cotree.topology.spanning import SpanningTree, spanning_tree

__all__ = [
    "Graph",
    "Loop",
    "Plan",
    "SpanningTree",
    "assembly_plan",
    "fundamental_loops",
    "spanning_tree",
    "work_and_span",
]
