"""Trials as tables for other tools."""
