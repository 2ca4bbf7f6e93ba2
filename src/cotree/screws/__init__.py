"""Screws of joint axes, subspaces of se(3), their Lie closure, and the motion groups of SE(3)."""

from cotree.judge import REPORTED as TOLERANCE
from cotree.screws.brackets import nested_brackets
from cotree.screws.closure import closure, identify, motion_group
from cotree.screws.joint_gap import joint_gap
from cotree.screws.kinds import Kind, dof, motion_basis, selector
from cotree.screws.scale import Scale, normalise
from cotree.screws.screw import axis_of, frame_about, pitch, screw, translation_screw
from cotree.screws.spans import complement, contains, dimension, intersection, same, span, sum_of
from cotree.screws.subgroups import Subgroup, basis_of, in_world

__all__ = [
    "TOLERANCE", "Kind", "Scale", "Subgroup", "axis_of", "basis_of", "closure", "complement", "contains", "dimension",
    "dof", "frame_about", "identify", "in_world", "intersection", "joint_gap", "motion_basis", "motion_group",
    "nested_brackets", "normalise", "pitch", "same", "screw", "selector", "span", "sum_of", "translation_screw",
]  # fmt: skip
