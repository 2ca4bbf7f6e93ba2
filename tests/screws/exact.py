"""Lie closure in rational numbers: no tolerance anywhere."""

from fractions import Fraction


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def bracket(x, y):
    rotating = cross(x[:3], y[:3])
    moving = tuple(p + q for p, q in zip(cross(x[:3], y[3:]), cross(x[3:], y[:3]), strict=True))
    return rotating + moving


def reduced(rows):
    """Reduced row echelon form: a basis that depends on the span alone."""
    basis = []
    for row in rows:
        r = [Fraction(x) for x in row]
        for lead, b in basis:
            r = [x - r[lead] * y for x, y in zip(r, b, strict=True)]
        lead = next((i for i, x in enumerate(r) if x), None)
        if lead is not None:
            r = [x / r[lead] for x in r]
            basis = [(j, [x - b[lead] * y for x, y in zip(b, r, strict=True)]) for j, b in basis] + [(lead, r)]
    return [tuple(b) for _, b in basis]


def orders(screws):
    """Bases with 0, 1, 2, ... nested brackets, until nothing is added."""
    levels = [reduced(screws)]
    while True:
        last = levels[-1]
        grown = reduced(last + [bracket(x, y) for x in levels[0] for y in last])
        if len(grown) == len(last):
            return levels
        levels.append(grown)
