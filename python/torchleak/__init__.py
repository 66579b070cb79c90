"""The torchleak program, as a Python package: it brings the binary and finds it again.

>>> import subprocess, torchleak
>>> subprocess.run([torchleak.find_torchleak_bin(), "check", "train.py"])  # doctest: +SKIP

Nothing of the analyzer is written in Python, and torch is not needed.
"""

from ._find import find_torchleak_bin

__all__ = ["find_torchleak_bin"]
