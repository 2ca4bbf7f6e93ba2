"""Contacts in runs: the ways to go through them, and what a run knows of them afterwards."""
