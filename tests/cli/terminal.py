#!/usr/bin/env python3
"""Runs a command with a terminal for some of its streams and prints all that the terminal got.

  terminal.py STREAMS COMMAND…    STREAMS: out, err or out,err; the other goes to the file `piped`

The exit status is that of the command.
"""
import os
import pty
import sys


def main():
    streams, command = sys.argv[1].split(','), sys.argv[2:]
    master, slave = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.close(master)
        other = os.open('piped', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(slave if 'out' in streams else other, 1)
        os.dup2(slave if 'err' in streams else other, 2)
        os.execvp(command[0], command)
    os.close(slave)
    data = b''
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # EIO: nobody has the other end any more
            break
        if not part:
            break
        data += part
    sys.stdout.buffer.write(data)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
