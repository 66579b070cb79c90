"""The build backend: scikit-build-core, with other projects' sources laid ready in third_party/ before.

A source distribution carries that folder, and nothing is fetched. In a checkout it is made first: the
grammars come from npm (from a build requirement, where there is none), the C++ headers from Debian's or
Ubuntu's packages, which are unpacked and need no root. Elsewhere the libraries of the system are used.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import third_party
from scikit_build_core import build as skbuild
from scikit_build_core.build import (
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[2]

Settings = Optional[Dict[str, Any]]


def _is_checkout() -> bool:
    return not (ROOT / "PKG-INFO").exists()


def _requirements() -> List[str]:
    return third_party.requirements() if _is_checkout() else []


def _prepare(*, all_of_it: bool) -> None:
    """Makes third_party/ in a checkout; all_of_it: or ends with what to do."""
    if not _is_checkout():
        return
    try:
        if all_of_it or third_party.can_gather():
            third_party.gather(ROOT / "grammars", ROOT / "third_party")
        else:
            third_party.fetch_grammars(ROOT / "grammars")
    except third_party.GatherError as error:
        sys.exit(f"torchleak: {error}")


def get_requires_for_build_sdist(config_settings: Settings = None) -> List[str]:
    return [*skbuild.get_requires_for_build_sdist(config_settings), *_requirements()]


def get_requires_for_build_wheel(config_settings: Settings = None) -> List[str]:
    return [*skbuild.get_requires_for_build_wheel(config_settings), *_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> List[str]:
    return [*skbuild.get_requires_for_build_editable(config_settings), *_requirements()]


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    _prepare(all_of_it=True)
    return skbuild.build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _prepare(all_of_it=False)
    return skbuild.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _prepare(all_of_it=False)
    return skbuild.build_editable(wheel_directory, config_settings, metadata_directory)
