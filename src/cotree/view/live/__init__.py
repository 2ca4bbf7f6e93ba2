"""Live views in the browser, by viser."""

from cotree.view.live.opening import view_run, view_system
from cotree.view.live.playing import RunViewer
from cotree.view.live.posing import PoseViewer
from cotree.view.live.viewer import Viewer

__all__ = ["PoseViewer", "RunViewer", "Viewer", "view_run", "view_system"]
