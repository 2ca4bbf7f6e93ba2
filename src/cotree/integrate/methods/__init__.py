"""Methods of integration: the contract, and one file each."""
