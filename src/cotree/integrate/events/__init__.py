"""Events, conditions and singular configurations: what a run looks for within its steps."""
