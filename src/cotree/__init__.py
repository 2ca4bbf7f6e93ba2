"""Cotree."""
