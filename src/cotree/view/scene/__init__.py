"""What pictures of a mechanism are made of, whoever shows them: parts, signs of joints, frames, colours, where to look from."""

from cotree.view.scene.scene import Scene, scene_of

__all__ = ["Scene", "scene_of"]
