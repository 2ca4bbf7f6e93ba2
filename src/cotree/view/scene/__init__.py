"""Contents of all pictures of a mechanism: parts, joint glyphs, frames, colours, camera."""

from cotree.view.scene.scene import Scene, scene_of

__all__ = ["Scene", "scene_of"]
