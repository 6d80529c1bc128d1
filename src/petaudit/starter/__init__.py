"""Guessing the role of each column, and writing a pipeline file to start from."""

from petaudit.starter.roles import Guess, guess_roles, guesses_from, nearly_unique

__all__ = ["Guess", "guess_roles", "guesses_from", "nearly_unique"]
