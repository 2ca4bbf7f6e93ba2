"""Examples of [Reg], Müller 2014: geometric constraint regularization."""
