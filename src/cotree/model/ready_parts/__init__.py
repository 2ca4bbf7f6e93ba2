"""Ready parts: bodies, joints and forces that belong together, added to a mechanism under one name.

A part is a description that comes to things which there are: it has no kernels of its own, and files hold what it comes to.
"""
