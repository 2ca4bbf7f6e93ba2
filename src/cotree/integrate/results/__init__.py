"""What a simulation gives back: the run, its certificate, and how it is resumed."""
