"""Shows that the tests named in equations.toml can fail: breaks each registered function and runs its named tests."""
