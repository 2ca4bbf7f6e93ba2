"""Derivatives by the numbers of a mechanism: masses, mass centres, inertia, points and axes of joints, springs, loads."""
