"""Examples of [Lie], Müller and Terze 2013: the choice of configuration space for Lie group integration."""
