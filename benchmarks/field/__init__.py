"""A benchmark set of the field: published problems, each with its data, source, solution and error estimate.

`python -m benchmarks.field` solves all of them and prints a line each; `python -m benchmarks.field A03` one of them in full.
`--store` writes models and solutions in open formats to benchmarks/field/data, and benchmarks/field/README.md.
"""
