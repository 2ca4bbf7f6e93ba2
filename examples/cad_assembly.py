"""A CAD assembly in STEP: solids become bodies with exact mass properties, shared cylinders become joints.

python examples/cad_assembly.py [ASSEMBLY.step GROUND]      needs pip install 'cotree[cad]'
"""

import sys
from pathlib import Path

import cotree as ct

file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "four_bar.step"
assembly = ct.read_step(file, density=2700)
print(assembly.proposals)

ground = sys.argv[2] if len(sys.argv) > 2 else "frame"
mech = assembly.mechanism(ground=ground, accept="all", gravity=(0, -9.81, 0))
print(ct.mobility(mech))
run = ct.simulate(mech, t_end=2.0)
print(run)
