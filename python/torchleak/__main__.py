"""`python -m torchleak ARGS…` runs the binary with the same arguments and ends with its exit status."""

import os
import subprocess
import sys

from ._find import find_torchleak_bin


def main() -> int:
    try:
        command = [find_torchleak_bin(), *sys.argv[1:]]
        if os.name == "nt":  # there, exec would give the prompt back before the program ends
            return subprocess.run(command).returncode
        os.execv(command[0], command)
    except OSError as error:  # 1 would mean that there are findings
        print(f"torchleak: error: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
