"""Contacts with friction: impulses and forces within their cones."""
