"""Graphs of mechanisms: spanning tree, cotree, fundamental loops, assembly plans. No mechanics here."""

from cotree.topology.blocks import blocks
from cotree.topology.cycles import ClosedGraph, Cycle, closing_cycles, shortest_first, tree_cycle
from cotree.topology.exchange import ChangingTree
from cotree.topology.graph import Graph
from cotree.topology.loops import Loop, fundamental_loop, fundamental_loops
from cotree.topology.plan import Plan, assembly_plan
from cotree.topology.schedule import work_and_span
from cotree.topology.spanning import RootedTree, SpanningTree, spanning_tree

__all__ = [
    "ChangingTree",
    "ClosedGraph",
    "Cycle",
    "Graph",
    "Loop",
    "Plan",
    "RootedTree",
    "SpanningTree",
    "assembly_plan",
    "blocks",
    "closing_cycles",
    "fundamental_loop",
    "fundamental_loops",
    "shortest_first",
    "spanning_tree",
    "tree_cycle",
    "work_and_span",
]
