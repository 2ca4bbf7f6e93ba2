"""What code can be made for: processors and systems, as LLVM names them."""

from __future__ import annotations

from typing import Any, NamedTuple

import llvmlite.binding as llvm


class Target(NamedTuple):
    """threads: whether memory of a thread's own is needed; cpu, features: the least that the processor must have."""

    name: str
    triple: str
    cpu: str
    features: str = ""
    threads: bool = True

    def machine(self) -> Any:
        """LLVM's machine."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic" if self.threads else "static", codemodel="default"
        )


TARGETS = {
    t.name: t
    for t in (
        Target("x86_64", "x86_64-unknown-linux-gnu", "x86-64"),
        Target("x86_64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3"),
        Target("aarch64", "aarch64-unknown-linux-gnu", "generic"),
        Target("wasm32", "wasm32-unknown-unknown", "generic",
               "+bulk-memory,+bulk-memory-opt,+simd128,+nontrapping-fptoint,+sign-ext,+mutable-globals", threads=False),
    )
}  # fmt: skip
