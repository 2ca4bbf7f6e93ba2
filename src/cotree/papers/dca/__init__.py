"""Examples of [DCA], Mukherjee and Anderson 2006: divide and conquer by orthogonal complements."""
