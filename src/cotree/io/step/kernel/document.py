"""The product structure of a STEP file: every solid with its name, its place in the world and its colour."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from OCP.IFSelect import IFSelect_RetDone
from OCP.Quantity import Quantity_Color
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_ChildIterator, TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_FACE, TopAbs_SOLID
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_ColorCurv, XCAFDoc_ColorGen, XCAFDoc_ColorSurf, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

# what programs write where the user has named nothing
NO_NAME = re.compile(r"\s*|=>\[.*\]|\d+|NAUO\s*\d*|(SOLID|COMPOUND|SHELL|ASSEMBLY|Open CASCADE .*)", re.IGNORECASE)
DEEPEST = 64  # assemblies within assemblies
COLOURS = (XCAFDoc_ColorSurf, XCAFDoc_ColorGen, XCAFDoc_ColorCurv)


@dataclass(frozen=True)
class Part:
    """A solid of the kernel [mm, world], or a part that has faces but no solid."""

    path: tuple[str, ...]
    solid: Any
    colour: tuple[float, float, float] | None = None


def opened(file: str) -> Any:
    """The file as a document of the kernel; None for one that it cannot read."""
    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    read = reader.ReadFile(file) == IFSelect_RetDone and reader.Transfer(document)
    return document if read else None


def parts(document: Any) -> Iterator[Part]:
    """The solids of a document, in the order of its product structure."""
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colours = XCAFDoc_DocumentTool.ColorTool_s(document.Main())
    for label in _children(shapes.Label()):
        if XCAFDoc_ShapeTool.IsFree_s(label):
            yield from _walk(label, TopLoc_Location(), (), None, colours)


def _walk(label: Any, place: Any, path: tuple[str, ...], colour: Any, colours: Any) -> Iterator[Part]:
    """Solids below a label; a component refers to the label that has the shape."""
    colour = _colour(label, colours) or colour
    if XCAFDoc_ShapeTool.IsComponent_s(label):
        place = place.Multiplied(XCAFDoc_ShapeTool.GetLocation_s(label))
        product = TDF_Label()
        XCAFDoc_ShapeTool.GetReferredShape_s(label, product)
        name = _name(label) or _name(product) or "part"
        label, colour = product, colour or _colour(product, colours)
    else:
        name = _name(label) or "part"
    path = (*path, name)
    if XCAFDoc_ShapeTool.IsAssembly_s(label) and len(path) < DEEPEST:
        for child in _children(label):
            if XCAFDoc_ShapeTool.IsComponent_s(child):
                yield from _walk(child, place, path, colour, colours)
        return
    yield from _solids(XCAFDoc_ShapeTool.GetShape_s(label).Moved(place), path, colour, colours)


def _solids(shape: Any, path: tuple[str, ...], colour: Any, colours: Any) -> Iterator[Part]:
    """The solids of a shape, placed in the world; without any the shape itself, if it has faces: an open skin."""
    found = list(explore(shape, TopAbs_SOLID))
    if not found and next(explore(shape, TopAbs_FACE), None) is not None:
        found = [shape]
    for solid in found:
        yield Part(path, solid, colour or _colour(solid, colours))


def explore(shape: Any, kind: Any) -> Iterator[Any]:
    """Parts of a shape that are of one kind."""
    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def _children(label: Any) -> list[Any]:
    found, step = [], TDF_ChildIterator(label)
    while step.More():
        found.append(step.Value())
        step.Next()
    return found


def _name(label: Any) -> str:
    """The label's name, empty when a program made it up."""
    attribute = TDataStd_Name()
    if not label.FindAttribute(TDataStd_Name.GetID_s(), attribute):
        return ""
    name = " ".join(attribute.Get().ToExtString().split())
    return "" if NO_NAME.fullmatch(name) else name


def _colour(of: Any, colours: Any) -> tuple[float, float, float] | None:
    """Colour of a label or a shape, red, green, blue from 0 to 1."""
    colour = Quantity_Color()
    get = colours.GetColor_s if isinstance(of, TDF_Label) else colours.GetColor
    for kind in COLOURS:
        if get(of, kind, colour):
            return (colour.Red(), colour.Green(), colour.Blue())
    return None
