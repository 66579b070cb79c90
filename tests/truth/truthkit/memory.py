"""How much memory a process holds: exactly what malloc has handed out, and what the device has.

The worker runs with PYTHONMALLOC=malloc, so Python's objects are in it as well, and each tensor, each node of a graph.
Nothing is estimated from the size of the process, in which freed memory stays.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS.split()]


try:
    _mallinfo = ctypes.CDLL(None).mallinfo2
    _mallinfo.restype = _Mallinfo
except (AttributeError, OSError):  # another libc than glibc
    _mallinfo = None


def status(field: str, pid: object = "self") -> int:
    """A field of /proc/PID/status in bytes: VmRSS, VmHWM."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def host() -> int:
    if _mallinfo is None:
        return status("VmRSS")
    info = _mallinfo()
    return int(info.uordblks + info.hblkhd)


def device() -> int:
    """What torch.cuda.memory_allocated() says, which leaves 16 kB of cyclic garbage on the host with each call."""
    import torch

    stats = torch.cuda.memory_stats_as_nested_dict()
    return int(stats["allocated_bytes"]["all"]["current"]) if stats else 0


def reset_host_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def children(pid: int = 0) -> list[int]:
    """Processes that this one has started, and those that they have."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, todo = [], [pid or os.getpid()]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found
