#!/usr/bin/env python3
"""Types into an interactive shell and tells what its completion makes of it.

  complete.py SHELL SCRIPT WORDS    SHELL is bash or zsh; WORDS is typed, then TAB

Prints what the shell listed and, as the last line, what then stands on the command line. A key that
prints the line is the end of what is read, so that nothing depends on time.
"""
import os
import pty
import re
import select
import sys

BASH = r'''
set +o history
PS1=; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'
bind 'set page-completions off'
bind 'set completion-query-items 0'; bind 'set enable-bracketed-paste off'
bind -x '"\C-xp": printf "\n@@%s@@\n" "$READLINE_LINE"'
source SCRIPT
echo READY
'''
ZSH = r'''
autoload -U compinit; compinit -u -D
PS1=; unsetopt beep promptsp; LISTMAX=10000; TERM=dumb
zle_show() { printf '\n@@%s@@\n' "$BUFFER"; }
zle -N zle_show; bindkey '^Xp' zle_show
source SCRIPT
echo READY
'''


def read_until(fd, mark):
    data = b''
    while mark not in data:
        ready, _, _ = select.select([fd], [], [], 60)
        if not ready:
            sys.exit(f'nothing more after {data!r}')
        data += os.read(fd, 65536)
    return data


def main():
    shell, script, words = sys.argv[1:]
    setup = (BASH if shell == 'bash' else ZSH).replace('SCRIPT', script)
    with open('setup.' + shell, 'w') as file:
        file.write(setup)
    command = {'bash': ['bash', '--norc', '--noprofile', '-i'], 'zsh': ['zsh', '-f', '-i']}[shell]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ['TERM'] = 'dumb'
        os.environ['COLUMNS'] = '200'
        os.execvp(command[0], command)
    os.write(fd, f'. ./setup.{shell}\n'.encode())
    read_until(fd, b'READY\r\n')
    os.write(fd, words.encode() + b'\t\x18p')
    data = read_until(fd, b'@@\r\n').decode(errors='replace')
    os.close(fd)
    os.waitpid(pid, 0)
    data = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]|\x07', '', data).replace('\r', '\n')
    listed, line = re.match(r'(.*)\n@@(.*?)@@\n', data, re.S).groups()
    print(listed)
    print(line)


main()
