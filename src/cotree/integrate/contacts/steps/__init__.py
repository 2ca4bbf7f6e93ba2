"""Contacts by stepping: impulses over steps of a given size, after Moreau and Jean."""
