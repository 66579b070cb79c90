"""Jupyter's own libraries, installed by the first run into a folder of the build."""

import os
import subprocess
import sys

REQUIREMENTS = ["nbformat==5.10.4", "ipython==8.26.0"]


def enter(venv):
    """Goes on with the same script inside of `venv`."""
    venv = os.path.realpath(venv)
    if os.path.realpath(sys.prefix) == venv:
        return
    python = os.path.join(venv, "bin", "python")
    stamp = os.path.join(venv, " ".join(REQUIREMENTS))
    if not os.path.exists(stamp):
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", venv])
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.check_call(pip + REQUIREMENTS)
        with open(stamp, "w", encoding="utf-8"):
            pass
    os.execv(python, [python, "-B", *sys.argv])
