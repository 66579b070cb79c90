"""Where pip has put the binary."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Iterator


def _folders() -> Iterator[str]:
    """Folders that can hold the binary of this very package, likeliest first."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    scripts = "Scripts" if os.name == "nt" else "bin"
    # Beside the package, up to <prefix>/lib/python3.11/site-packages and <prefix>/bin: virtual environments,
    # --user, --prefix, and --target, which has bin/ among the packages.
    folder = packages
    for _ in range(4):
        yield os.path.join(folder, scripts)
        folder = os.path.dirname(folder)
    yield os.path.join(packages, "bin")  # --target on Windows
    yield sysconfig.get_path("scripts")
    if sys.version_info >= (3, 10):
        user_scheme = sysconfig.get_preferred_scheme("user")
    else:
        user_scheme = "nt_user" if os.name == "nt" else "posix_user"
    yield sysconfig.get_path("scripts", scheme=user_scheme)


def find_torchleak_bin() -> str:
    """The absolute path of the torchleak binary that was installed with this package.

    Raises FileNotFoundError, which names the folders that were searched, when there is none.
    """
    name = "torchleak" + (sysconfig.get_config_var("EXE") or "")
    searched = [folder for folder in dict.fromkeys(_folders()) if os.path.isabs(folder)]
    for folder in searched:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(
        f"the binary {name} of this package is not in {', '.join(searched)}; "
        "`python -m pip install --force-reinstall torchleak` puts it back"
    )
