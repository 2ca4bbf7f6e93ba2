"""Examples of [VTM], Müller: forward dynamics of variable topology mechanisms."""
