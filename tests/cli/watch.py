#!/usr/bin/env python3
"""Drives `check --watch`: writes files, waits for the report that follows. Nothing depends on how long
something takes, only on its coming at all.

  watch.py TORCHLEAK    in an empty folder
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys

TORCHLEAK = sys.argv[1]
LIMIT = 90
READY = 'press Ctrl-C to stop'
CLEAN = 'import torch\n\n\ndef double(x):\n    return x * 2\n'
LEAK = '''import torch


def evaluate(model, loader):
    losses = []
    for x, y in loader:
        losses.append(torch.nn.functional.cross_entropy(model(x), y))
    return losses
'''
failed = False


def fail(what):
    global failed
    failed = True
    print('FAIL:', what)


def write(path, text):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def write_by_rename(path, text):
    write(path + '.tmp~', text)
    os.rename(path + '.tmp~', path)


class Watched:
    """One process; what it said since the last report is in `text`."""

    def __init__(self, *args, terminal=False, cwd=None, env=None):
        self.out, ours = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(
            [TORCHLEAK, 'check', '--watch', *args], stdout=ours, stderr=ours, cwd=cwd,
            stdin=subprocess.DEVNULL, env={**os.environ, 'TERM': 'xterm', **(env or {})})
        os.close(ours)
        self.rest = self.text = ''

    def read(self):
        ready, _, _ = select.select([self.out], [], [], LIMIT)
        if not ready:
            self.process.kill()
            sys.exit(f'FAIL: nothing came after {self.rest!r}')
        try:
            data = os.read(self.out, 65536)
        except OSError:
            data = b''
        self.rest += data.decode(errors='replace').replace('\r\n', '\n')
        return data

    def report(self, holds=None):
        """Waits for reports until one holds that text: one change may show as two."""
        seen = ''
        while True:
            while READY not in self.rest:
                if not self.read():
                    sys.exit(f'FAIL: it ended: {self.rest!r}')
            at = self.rest.index(READY) + len(READY) + 1
            self.text, self.rest = self.rest[:at], self.rest[at:]
            seen += self.text
            if holds is None or holds in self.text:
                return self.text

    def silent(self):
        """Nothing is checked again although something happened."""
        ready, _, _ = select.select([self.out], [], [], 0.7)
        if ready:
            self.read()
            fail(f'checked again: {self.rest!r}')

    def stop(self, status):
        self.process.send_signal(signal.SIGINT)
        got = self.process.wait(LIMIT)
        if got != status:
            fail(f'exit status {got}, not {status}')
        os.close(self.out)


def a_session(env):
    shutil.rmtree('tree', ignore_errors=True)
    write('tree/a.py', CLEAN)
    write('tree/sub/b.py', CLEAN)
    w = Watched('tree', '--output-format', 'concise', env=env)
    text = w.report()
    if 'Watching 2 files;' not in text:
        fail(f'two files: {text}')
    write('tree/a.py', LEAK)  # an edit
    w.report('tree/a.py:7')
    write_by_rename('tree/a.py', CLEAN)  # as editors write
    text = w.report()
    if 'a.py:7' in text:
        fail(f'still found: {text}')
    write_by_rename('tree/sub/b.py', LEAK)
    w.report('tree/sub/b.py:7')
    write('tree/new.py', LEAK)  # a new file
    w.report('tree/new.py:7')
    os.remove('tree/new.py')
    w.report('Watching 2 files;')
    write('tree/x/y/deep.py', LEAK)  # new folders
    w.report('tree/x/y/deep.py:7')
    write('tree/x/y/deep.py', CLEAN)  # these are watched as well
    w.report()
    write('tree/x/y/deep.py', LEAK)
    w.report('tree/x/y/deep.py:7')
    shutil.rmtree('tree/x')
    w.report('Watching 2 files;')
    os.rename('tree/sub', 'tree/moved')
    w.report('tree/moved/b.py:7')
    write('tree/moved/b.py', CLEAN)
    w.report()
    write('tree/.gitignore', 'moved/\n')
    w.report('Watching 1 file;')
    os.remove('tree/.gitignore')
    w.report('Watching 2 files;')
    os.mkdir('tree/.torchleak_cache')  # what a check itself makes
    write('tree/notes.txt', 'nothing to do with it')
    write('tree/a.py~', LEAK)
    w.silent()
    os.utime('tree/a.py')  # touch
    w.report()
    shutil.rmtree('tree')  # all of it
    w.report('no such file')
    write('tree/a.py', LEAK)
    w.report('tree/a.py:7')
    w.stop(1)


def a_checkout():
    shutil.rmtree('many', ignore_errors=True)
    for i in range(3000):
        write(f'many/p{i % 40}/m{i}.py', CLEAN)
    w = Watched('many', '--output-format', 'concise')
    w.report('Watching 3000 files;')
    for i in range(3000):
        write_by_rename(f'many/p{i % 40}/m{i}.py', LEAK if i == 2999 else CLEAN + '# more\n')
    w.report('many/p39/m2999.py:7')
    write('many/p39/m2999.py', CLEAN)
    w.report('Watching 3000 files;')
    shutil.rmtree('many')
    for i in range(40):
        write(f'many/p{i}/m.py', CLEAN)
    w.report('Watching 40 files;')
    write('many/p7/m.py', LEAK)
    w.report('many/p7/m.py:7')
    w.stop(1)


def the_folder_itself():
    shutil.rmtree('here', ignore_errors=True)
    write('here/a.py', CLEAN)
    w = Watched('--output-format', 'concise', cwd='here')
    w.report('Watching 1 file;')
    shutil.rmtree('here')
    while 'is gone' not in w.rest:
        w.read()
    write('here/a.py', LEAK)
    w.report('a.py:7')
    os.rename('here', 'gone')
    write('here/a.py', CLEAN)
    w.report('Watching 1 file;')
    w.stop(0)
    shutil.rmtree('gone')


def outputs_and_settings():
    write('out/a.py', LEAK)
    write('out/script', CLEAN)
    w = Watched('out/a.py', 'out/script', '--output-format', 'concise', '--output-format',
                'json:out/report.toml')
    w.report('out/a.py:7')
    w.silent()  # its own output
    write('out/script', LEAK)  # given by hand, whatever its name
    w.report('out/script:7')
    write('out/beside.py', CLEAN)  # may be imported
    w.report()
    write('pyproject.toml', '')  # settings lie above
    w.report()
    os.remove('pyproject.toml')
    w.report()
    w.stop(1)


def configuration():
    write('set/sub/a.py', LEAK)
    w = Watched('set', '--output-format', 'concise')
    w.report('set/sub/a.py:7')
    write('set/sub/torchleak.toml', 'ignore = ["TLK1", "TLK2"]\n')
    if 'a.py:7' in w.report():
        fail(f'still selected: {w.text}')
    write('set/sub/torchleak.toml', 'ignore = [\n')  # half of an edit
    w.report('torchleak.toml')
    write('set/sub/torchleak.toml', 'ignroe = ["TLK101"]\n')
    w.report('ignroe')
    write('set/sub/torchleak.toml', '')
    w.report('set/sub/a.py:7')
    write('torchleak.toml', '?')  # above
    w.report('torchleak.toml')
    write('set/b.py', LEAK)
    w.report('torchleak.toml')
    os.remove('torchleak.toml')
    w.report('set/b.py:7')
    write('set/torchleak.toml', 'extend-exclude = ["made"]\n')
    w.report()
    write('set/made/c.py', LEAK)  # left out
    w.silent()
    w.stop(1)
    write('torchleak.toml', '?')
    done = subprocess.run([TORCHLEAK, 'check', '--watch', 'set'], capture_output=True, timeout=LIMIT)
    if done.returncode != 2 or b'torchleak.toml' not in done.stderr:
        fail(f'a broken configuration at the start: {done}')
    os.remove('torchleak.toml')


def on_a_terminal():
    write('screen/a.py', CLEAN)
    w = Watched('screen', '--color', 'never', terminal=True)
    if '\x1b[2J' in w.report():
        fail('the first report clears the screen')
    write('screen/a.py', LEAK)
    text = w.report('a.py:7')
    if not text.startswith('\x1b[2J\x1b[H') or '----' in text:
        fail(f'no clear screen: {text!r}')
    w.stop(1)
    w = Watched('screen', '--quiet', '--output-format', 'concise')
    while 'a.py:7' not in w.rest:
        w.read()
    if 'Watching' in w.rest or '\x1b' in w.rest:
        fail(f'quiet: {w.rest!r}')
    w.process.kill()


def ends():
    write('ends/a.py', CLEAN)
    w = Watched('ends')
    w.report()
    w.stop(0)
    w = Watched('ends/nope.py')
    w.report()
    w.stop(2)
    for arguments in (['-'], ['--show-files'], ['--select', 'TLK999999']):
        done = subprocess.run([TORCHLEAK, 'check', '--watch', *arguments], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT)
        if done.returncode != 2 or not done.stderr:
            fail(f'{arguments}: {done}')
    # An interrupt during a check ends it at once: there is no verdict yet.
    os.mkfifo('ends/slow.py')
    watch = subprocess.Popen([TORCHLEAK, 'check', '--watch', 'ends/slow.py'])
    with open('ends/slow.py', 'w'):  # it has opened it to read, and now waits
        watch.send_signal(signal.SIGINT)
        if watch.wait(LIMIT) != -signal.SIGINT:
            fail(f'an interrupt during a check: {watch.returncode}')
    os.remove('ends/slow.py')
    # A reader that goes away ends it.
    watch = subprocess.Popen([TORCHLEAK, 'check', '--watch', 'ends'], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    while READY.encode() not in watch.stderr.readline():
        pass
    watch.stdout.close()
    if watch.wait(LIMIT) != 0:
        fail('a closed pipe')
    # Reports alone on standard output.
    watch = subprocess.Popen([TORCHLEAK, 'check', '--watch', 'ends', '--output-format', 'json'],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while READY.encode() not in watch.stderr.readline():
        pass
    write('ends/a.py', LEAK)
    if b'changed: ends/a.py' not in watch.stderr.readline():
        fail('no line between reports')
    while READY.encode() not in watch.stderr.readline():
        pass
    watch.send_signal(signal.SIGINT)
    out = watch.communicate(timeout=LIMIT)[0].decode()
    if not re.match(r'\[\]\n\[\n  \{', out):
        fail(f'standard output: {out!r}')


a_session({})
a_session({'TORCHLEAK_WATCH_POLL': '1'})
a_checkout()
the_folder_itself()
outputs_and_settings()
configuration()
on_a_terminal()
ends()
print('failed' if failed else 'ok')
sys.exit(failed)
