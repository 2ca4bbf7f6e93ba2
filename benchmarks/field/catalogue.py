"""All problems of the set, by their keys."""

from benchmarks.field import andrews, car_axis, iftomm, others, robots
from benchmarks.field.problem import Problem

ORDER = (
    "A01",
    "A02",
    "A02-40",
    "A03",
    "A04",
    "A05",
    "slider-crank",
    "car axis",
    "spinning top",
    "Fourbar1",
    "cassie leg",
)
FOUND = {p.key: p for file in (iftomm, andrews, car_axis, others, robots) for p in file.PROBLEMS}
PROBLEMS: dict[str, Problem] = {key: FOUND[key] for key in ORDER}
