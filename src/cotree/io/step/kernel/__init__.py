"""The part that talks to Open CASCADE; it runs in a process of its own, and nothing outside imports it."""
