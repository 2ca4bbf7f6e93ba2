"""Every comparison with other programs: one process for each program, in turns, repeated, stored, and shown on one page."""
