"""Pipelines in YAML."""
