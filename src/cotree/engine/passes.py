"""The passes by which kernels are compiled: those of Numba that have something to do in a kernel.

Numba runs 26 passes over each function and after most of them looks through the whole function again. Kernels have no `with`,
no closures and no loops over tuples of different types, so that half of the passes find nothing; a function with other
functions inside is compiled by all of them.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba.core import compiler
from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.compiler_machinery import PassManager

from cotree.engine.borrowing import CountReferencesWhereNeeded

ENOUGH = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    untyped.RewriteSemanticConstants,
    untyped.DeadBranchPrune,
    untyped.GenericRewrites,
    untyped.RewriteDynamicRaises,
    untyped.ReconstructSSA,
    untyped.DeadBranchPrune,
    untyped.LiteralPropagationSubPipelinePass,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.InlineOverloads,
    typed.NopythonRewrites,
    typed.IRLegalization,
    typed.AnnotateTypes,
    typed.NativeLowering,
    typed.NoPythonBackend,
)


class KernelCompiler(compiler.CompilerBase):
    """Numba's compiler with these passes; what Python calls counts its references in any case."""

    def define_pipelines(self) -> list[Any]:
        if _has_functions_inside(self.state.func_id.func.__code__):
            passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        else:
            passes = PassManager("kernel")
            for kind in ENOUGH:
                passes.add_pass(kind, kind._name)
        if self.state.flags.no_cpython_wrapper:
            kinds = [kind for kind, _ in passes.passes]
            passes.add_pass_after(CountReferencesWhereNeeded, kinds[kinds.index(typed.NativeLowering) - 1])
        passes.finalize()
        return [passes]


def _has_functions_inside(code: CodeType) -> bool:
    return any(isinstance(constant, CodeType) for constant in code.co_consts)
