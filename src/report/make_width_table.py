#!/usr/bin/env python3
"""Writes width_table.inc: ranges of code points that a terminal draws in no or in two columns.

usage: make_width_table.py > width_table.inc
The data is that of Python's own Unicode tables; the version is written into the file.
"""
import unicodedata


def ranges(predicate):
    found, start = [], None
    for code in range(0x110000 + 1):
        hit = code < 0x110000 and predicate(chr(code))
        if hit and start is None:
            start = code
        elif not hit and start is not None:
            found.append((start, code - 1))
            start = None
    return found


def zero(char):
    # Marks that combine with what stands before them, joiners and other format characters, and the
    # vowels and finals of Hangul, which fuse with the syllable before.
    if char == "\u00ad":  # soft hyphen: terminals draw it
        return False
    return unicodedata.category(char) in ("Mn", "Me", "Cf") or 0x1160 <= ord(char) <= 0x11FF


# Unassigned code points are narrow but in these planes of ideographs; Python calls all of them wide.
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD))


def wide(char):
    if unicodedata.category(char) == "Cn":
        return any(first <= ord(char) <= last for first, last in IDEOGRAPHS)
    return unicodedata.east_asian_width(char) in ("W", "F") and not zero(char)


def table(name, found):
    print(f"constexpr Range {name}[] = {{")
    for i in range(0, len(found), 4):
        print("    " + " ".join(f"{{0x{a:X}, 0x{b:X}}}," for a, b in found[i : i + 4]))
    print("};")


print(f"// Made by make_width_table.py from Unicode {unicodedata.unidata_version}. Do not edit.")
table("kZeroWidth", ranges(zero))
table("kDoubleWidth", ranges(wide))
