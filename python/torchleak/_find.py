"""Where pip has put the binary."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Iterator


def _folders() -> Iterator[str]:
    """Folders that can hold the binary, likeliest first."""
    yield sysconfig.get_path("scripts")
    if sys.version_info >= (3, 10):
        user_scheme = sysconfig.get_preferred_scheme("user")
    else:
        user_scheme = "nt_user" if os.name == "nt" else "posix_user"
    yield sysconfig.get_path("scripts", scheme=user_scheme)  # pip install --user
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield os.path.join(packages, "bin")  # pip install --target
    scripts = "Scripts" if os.name == "nt" else "bin"
    # pip install --prefix: <prefix>/lib/python3.11/site-packages, on Windows <prefix>\Lib\site-packages
    prefix = packages
    for _ in range(3):
        prefix = os.path.dirname(prefix)
        yield os.path.join(prefix, scripts)


def find_torchleak_bin() -> str:
    """The path of the torchleak binary that was installed with this package.

    Raises FileNotFoundError, which names the folders that were searched, when there is none.
    """
    name = "torchleak" + (sysconfig.get_config_var("EXE") or "")
    searched = list(dict.fromkeys(_folders()))
    for folder in searched:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(
        f"the binary {name} of this package is not in {', '.join(searched)}; "
        "`python -m pip install --force-reinstall torchleak` puts it back"
    )
