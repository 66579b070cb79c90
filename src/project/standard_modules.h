// The modules of the standard library (Python 3.11, without the obscure ones): an import of these
// from inside a package never means a file beside it.
#pragma once

#include <algorithm>
#include <string_view>

namespace torchleak::project {

// Sorted.
inline constexpr std::string_view kStandardModules[] = {
    "abc",          "aifc",        "argparse",     "array",        "ast",
    "asynchat",     "asyncio",     "asyncore",     "atexit",       "audioop",
    "base64",       "bdb",         "binascii",     "bisect",       "builtins",
    "bz2",          "cProfile",    "calendar",     "cgi",          "cgitb",
    "chunk",        "cmath",       "cmd",          "code",         "codecs",
    "codeop",       "collections", "colorsys",     "compileall",   "concurrent",
    "configparser", "contextlib",  "contextvars",  "copy",         "copyreg",
    "crypt",        "csv",         "ctypes",       "curses",       "dataclasses",
    "datetime",     "dbm",         "decimal",      "difflib",      "dis",
    "distutils",    "doctest",     "email",        "encodings",    "ensurepip",
    "enum",         "errno",       "faulthandler", "fcntl",        "filecmp",
    "fileinput",    "fnmatch",     "fractions",    "ftplib",       "functools",
    "gc",           "getopt",      "getpass",      "gettext",      "glob",
    "graphlib",     "grp",         "gzip",         "hashlib",      "heapq",
    "hmac",         "html",        "http",         "imaplib",      "imghdr",
    "imp",          "importlib",   "inspect",      "io",           "ipaddress",
    "itertools",    "json",        "keyword",      "linecache",    "locale",
    "logging",      "lzma",        "mailbox",      "mailcap",      "marshal",
    "math",         "mimetypes",   "mmap",         "modulefinder", "multiprocessing",
    "netrc",        "nntplib",     "numbers",      "operator",     "optparse",
    "os",           "pathlib",     "pdb",          "pickle",       "pickletools",
    "pipes",        "pkgutil",     "platform",     "plistlib",     "poplib",
    "posix",        "pprint",      "profile",      "pstats",       "pty",
    "pwd",          "py_compile",  "pyclbr",       "pydoc",        "pyexpat",
    "queue",        "quopri",      "random",       "re",           "readline",
    "reprlib",      "resource",    "rlcompleter",  "runpy",        "sched",
    "secrets",      "select",      "selectors",    "shelve",       "shlex",
    "shutil",       "signal",      "site",         "smtpd",        "smtplib",
    "sndhdr",       "socket",      "socketserver", "spwd",         "sqlite3",
    "ssl",          "stat",        "statistics",   "string",       "stringprep",
    "struct",       "subprocess",  "sunau",        "symtable",     "sys",
    "sysconfig",    "syslog",      "tabnanny",     "tarfile",      "telnetlib",
    "tempfile",     "termios",     "test",         "textwrap",     "threading",
    "time",         "timeit",      "tkinter",      "token",        "tokenize",
    "tomllib",      "trace",       "traceback",    "tracemalloc",  "tty",
    "turtle",       "types",       "typing",       "unicodedata",  "unittest",
    "urllib",       "uu",          "uuid",         "venv",         "warnings",
    "wave",         "weakref",     "webbrowser",   "wsgiref",      "xdrlib",
    "xml",          "xmlrpc",      "zipapp",       "zipfile",      "zipimport",
    "zlib",         "zoneinfo"};

inline bool IsStandardModule(std::string_view name) {
  return std::binary_search(std::begin(kStandardModules), std::end(kStandardModules), name);
}

}  // namespace torchleak::project
