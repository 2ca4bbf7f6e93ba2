"""Examples of [Geo], Müller and Terze 2009: differential-geometric modelling and simulation."""
