"""setup.py TOOLS: makes the virtual environment TOOLS with what requirements.txt names, unless it is there."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
folder = Path(sys.argv[1])
wanted = (HERE / "requirements.txt").read_text()
done = folder / "installed.txt"

if not done.exists() or done.read_text() != wanted:
    try:
        venv.create(folder, with_pip=True, clear=True)
    except subprocess.CalledProcessError:
        # Debian has the part of venv that brings pip in a package of its own.
        if not shutil.which("apt-get"):
            sys.exit("python3 cannot make a virtual environment; on Debian: apt-get install python3-venv")
        subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=True)
        venv.create(folder, with_pip=True, clear=True)
    subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:",
                    "-r", HERE / "requirements.txt"], check=True)
    done.write_text(wanted)
