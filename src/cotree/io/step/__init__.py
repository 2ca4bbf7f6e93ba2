"""STEP assemblies from CAD: solids with exact mass properties, and joints that their faces suggest."""

from cotree.io.step.assembly import StepAssembly
from cotree.io.step.reading import EXTENSIONS, read_step

__all__ = ["EXTENSIONS", "StepAssembly", "read_step"]
