"""Hands promptc's names on under others."""

from promptc import Template as Card
from promptc import prompt as again

__all__ = ["Card", "again"]
