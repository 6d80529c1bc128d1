"""Texts in English and in Traditional Chinese."""
