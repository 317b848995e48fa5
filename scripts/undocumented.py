#!/usr/bin/env python3
"""Prints file:line of each declaration for other modules that has no /// comment right above it.

Looked at are types, functions, variables, initialisers, the cases of enums and the requirements of protocols, where they are
`package` or `public`. Free of a comment are members of an extension that declares a conformance (the protocol says what they
are) and initialisers that do nothing but assign their parameters. It reads lines and indentation, as swift format leaves them.
"""
import re
import sys

WORDS = r"(?:struct|enum|class|actor|protocol|typealias|func|var|let|init|subscript|macro)\b"
ATTRIBUTES = r"(?:@\w+(?:\([^)]*\))? )*"
MODIFIERS = r"(?:(?!import |extension )[a-z]+(?:\([a-z]+\))? )*?"
DECLARATION = re.compile(rf"{ATTRIBUTES}{MODIFIERS}(?:package|public) {MODIFIERS}({WORDS}.*)")
MEMBER = {
    "enum": re.compile(r"(?:indirect )?case "),
    "protocol": re.compile(rf"{ATTRIBUTES}(?:static |mutating )*(?:associatedtype\b|{WORDS})"),
}
ASSIGNMENTS = re.compile(r"(?:\(?[\w., ]+\)? = \(?[\w., ]+\)? ?)*")


def body_of(lines, start):
    """What stands between the braces of the function that begins at `start`, in one line."""
    indent = re.match(" *", lines[start])[0]
    end = start
    while not (lines[end].endswith("}") and (end == start or lines[end].startswith(indent + "}"))):
        end += 1
        if end == len(lines):
            return None
    text = " ".join(line.strip() for line in lines[start : end + 1])
    # Search behind the parenthesis that closes the parameters, because a default value may contain braces.
    found = re.search(r"\)(?: async)?(?: throws(?:\(\w+\))?)?(?: where [^{]+)? \{ ?(.*)\}$", text)
    return found and found[1]


def is_documented(lines, number):
    above = number - 1
    while above >= 0 and lines[above].strip().startswith("@"):
        above -= 1
    return above >= 0 and lines[above].strip().startswith("///")


def undocumented(lines):
    """Yields the numbers, from 0, of the lines that want a comment."""
    scopes = []  # (indentation, what) of the blocks around the line, innermost last
    for number, line in enumerate(lines):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        while text and scopes and indent <= scopes[-1][0]:
            scopes.pop()
        declared = DECLARATION.match(text)
        outer_indent, outer = scopes[-1] if scopes else (-4, None)
        is_member = outer in MEMBER and indent == outer_indent + 4 and MEMBER[outer].match(text)
        if (declared or is_member) and all(what != "conformance" for _, what in scopes) and not is_documented(lines, number):
            is_init = declared and declared[1].startswith("init")
            body = body_of(lines, number) if is_init else None
            if body is None or not ASSIGNMENTS.fullmatch(body):
                yield number
        if not text.endswith("{"):
            continue
        if re.match(r"(?:@.* )?extension [\w.<>]+: ", text):
            scopes.append((indent, "conformance"))
        elif declared and declared[1].split()[0] in ("struct", "class", "actor", *MEMBER):
            scopes.append((indent, declared[1].split()[0]))


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number in undocumented(lines):
        print(f"{path}:{number + 1}: {lines[number].strip()}")
