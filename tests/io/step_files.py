"""STEP files made for the tests: a four-bar, a slider-crank and simple pairs; lengths in millimetres.

Links are bars with holes; the pin of a joint and the head that keeps the other link on it belong to one of the two.
"""

import math

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.Interface import Interface_Static
from OCP.Quantity import Quantity_Color, Quantity_TOC_RGB
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_AsIs
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_ColorSurf, XCAFDoc_DocumentTool

import cotree as ct

A, B, C, D = (0.0, 0.0), (60.0, 80.0), (240.0, 140.0), (250.0, 0.0)
WIDTH, OVERHANG, THICK, PIN, HEAD, HEAD_THICK = 30.0, 15.0, 10.0, 5.0, 8.0, 4.0


# -- shapes of the kernel, each beside its mass properties in closed form --------------------------------------


class Piece:
    """A shape of the kernel and the simple bodies (sign, shape of Cotree in metres) that it is the sum of."""

    def __init__(self, shape, simple):
        self.shape, self.simple = shape, simple

    def __add__(self, other):
        return Piece(BRepAlgoAPI_Fuse(self.shape, other.shape).Shape(), self.simple + other.simple)

    def __sub__(self, other):
        taken = [(-sign, s) for sign, s in other.simple]
        return Piece(BRepAlgoAPI_Cut(self.shape, other.shape).Shape(), self.simple + taken)

    def properties(self, density):
        """Mass, centre, inertia about it: sums of moments about the origin, not Steiner part by part."""
        parts = [(sign, s.mass_properties(density)) for sign, s in self.simple]
        m = sum(sign * p.mass for sign, p in parts)
        c = sum(sign * p.mass * np.array(p.com) for sign, p in parts) / m
        origin = sum(sign * (p.inertia + p.mass * about_origin(np.array(p.com))) for sign, p in parts)
        return m, c, origin - m * about_origin(c)


def about_origin(c):
    return c @ c * np.eye(3) - np.outer(c, c)


def bar(p, q, z, width=WIDTH, overhang=OVERHANG, thick=THICK):
    """Box along the line from p to q in the plane, from z upwards."""
    length, angle = math.dist(p, q), math.atan2(q[1] - p[1], q[0] - p[0])
    low = gp_Pnt(-overhang, -width / 2, 0.0)
    shape = BRepPrimAPI_MakeBox(low, length + 2 * overhang, width, thick).Shape()
    turn, shift = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), angle)
    shift.SetTranslation(gp_Vec(p[0], p[1], z))
    c, s = math.cos(angle), math.sin(angle)
    center = np.array([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, z + thick / 2]) / 1e3
    size = np.array([length + 2 * overhang, width, thick]) / 1e3
    box = ct.Box(center, size, [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return Piece(BRepBuilderAPI_Transform(shape, shift.Multiplied(turn), True).Shape(), [(1, box)])


def cylinder(base, axis, radius, height):
    shape = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(*base), gp_Dir(*axis)), radius, height).Shape()
    a = np.array(base, dtype=float)
    b = a + height * np.array(axis, dtype=float) / np.linalg.norm(axis)
    return Piece(shape, [(1, ct.Cylinder(a / 1e3, b / 1e3, radius / 1e3))])


def box(low, high):
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    shape = BRepPrimAPI_MakeBox(gp_Pnt(*low.tolist()), gp_Pnt(*high.tolist())).Shape()
    return Piece(shape, [(1, ct.Box((low + high) / 2e3, (high - low) / 1e3))])


def ball(center, radius):
    shape = BRepPrimAPI_MakeSphere(gp_Pnt(*center), radius).Shape()
    return Piece(shape, [(1, ct.Sphere(np.array(center) / 1e3, radius / 1e3))])


def hole(p, z, radius=PIN, thick=THICK):
    return cylinder((*p, z), (0, 0, 1), radius, thick)


def pin(p, z, head=True, radius=PIN):
    """A pin from z upwards through a link, with a head that keeps the link on it."""
    shaft = cylinder((*p, z), (0, 0, 1), radius, THICK)
    return shaft + cylinder((*p, z + THICK), (0, 0, 1), HEAD, HEAD_THICK) if head else shaft


# -- mechanisms --------------------------------------------------------------------------------------------------


def four_bar(head=True):
    """Frame from 0, crank and rocker from 10, coupler from 20 mm upwards."""
    return {
        "frame": bar(A, D, 0) + pin(A, 10, head) + pin(D, 10, head),
        "crank": bar(A, B, 10) - hole(A, 10) + pin(B, 20, head),
        "coupler": bar(B, C, 20) - hole(B, 20) - hole(C, 20),
        "rocker": bar(D, C, 10) - hole(D, 10) + pin(C, 20, head),
    }


def slider_crank():
    """A crank at the origin, a round piston along x in a bore of the frame."""
    plate, block = box((-20, -20, -15), (190, 20, -5)), box((190, -40, -40), (270, 40, 40))
    bore = cylinder((190, 0, 0), (1, 0, 0), 20, 80)
    piston = cylinder((200, 0, 0), (1, 0, 0), 20, 60) + box((160, -10, -5), (200, 10, 5))
    wrist, crank_pin = (170.0, 0.0), (0.0, 40.0)
    return {
        "frame": plate + (block - bore) + pin((0.0, 0.0), -5),
        "crank": bar((0.0, 0.0), crank_pin, -5) - hole((0.0, 0.0), -5) + pin(crank_pin, 5),
        "rod": bar(crank_pin, wrist, 5, 20, 12) - hole(crank_pin, 5) - hole(wrist, 5, 4),
        "piston": piston + pin(wrist, 5, True, 4),
    }


# -- files ---------------------------------------------------------------------------------------------------------


def text_of(name):
    return TCollection_ExtendedString(name, True)


def write_step(path, pieces, unit="MM", colours=None, instances=None):
    """A file with an assembly of the pieces; instances: {name: (name of the piece, shift)} in place of one of each."""
    Interface_Static.SetCVal_s("write.step.unit", unit)
    document = TDocStd_Document(text_of("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    root = tool.NewShape()
    TDataStd_Name.Set_s(root, text_of("assembly"))
    labels = {}
    for name, piece in pieces.items():
        labels[name] = tool.AddShape(getattr(piece, "shape", piece), False)
        TDataStd_Name.Set_s(labels[name], text_of(name))
        if colours and name in colours:
            colour = Quantity_Color(*colours[name], Quantity_TOC_RGB)
            XCAFDoc_DocumentTool.ColorTool_s(document.Main()).SetColor(labels[name], colour, XCAFDoc_ColorSurf)
    for name, (piece, shift) in (instances or {name: (name, (0, 0, 0)) for name in pieces}).items():
        place = gp_Trsf()
        place.SetTranslation(gp_Vec(*map(float, shift)))
        component = tool.AddComponent(root, labels[piece], TopLoc_Location(place))
        if instances:
            TDataStd_Name.Set_s(component, text_of(name))
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.SetColorMode(True)
    writer.SetNameMode(True)
    writer.Transfer(document, STEPControl_AsIs)
    writer.Write(str(path))
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    return path
