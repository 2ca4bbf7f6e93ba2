"""The native model format: typed structures, from and to a `Mechanism`."""
