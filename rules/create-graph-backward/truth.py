"""Gradients with a graph of their own, added up and never reset."""

from truthkit import Grows

CLAIM = Grows(kb=10)
