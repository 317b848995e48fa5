"""Prints the manual page doorward(1), made from the program's own description of its commands.

    doorward --experimental-dump-help | man_page.py VERSION DATE
"""
import json, sys, time

version, seconds = sys.argv[1], int(sys.argv[2])
root = json.load(sys.stdin)["command"]


def text(words):
    """Text as roff: nothing in it is a request or an escape."""
    escaped = words.replace("\\", "\\[rs]").replace("-", "\\-").replace("'", "\\[aq]").replace("`", "\\[ga]")
    escaped = "".join(character if character.isascii() else f"\\[u{ord(character):04X}]" for character in escaped)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in escaped.splitlines())


def usage(argument):
    """An argument as in a synopsis."""
    if argument["kind"] == "positional":
        words = f"\\fI{text(argument['valueName'])}\\fR"
    else:
        words = f"\\fB{name(argument)}\\fR" + (f" \\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "option" else "")
    return (f"[{words}]" if argument["isOptional"] else words) + ("..." if argument["isRepeating"] else "")


def name(argument):
    preferred = argument["preferredName"]
    return text(("-" if preferred["kind"] == "short" else "--") + preferred["name"])


def paragraphs(discussion):
    """Paragraphs; indented lines, such as examples, as they are."""
    lines = []
    for line in discussion.splitlines():
        if line.startswith("  "):
            lines += [".nf", text(line), ".fi"]
        else:
            lines.append(text(line) if line else ".PP")
    return lines


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def page(command, path):
    """The description of a command and, below it, of its subcommands."""
    subcommands = [sub for sub in command.get("subcommands", []) if sub["shouldDisplay"] and sub["commandName"] != "help"]
    lines = []
    if path:
        own = [argument for argument in shown(command) if argument.get("valueName") not in ("help", "version")]
        lines += [f".SS \"{text(' '.join(path))}\"", text(command.get("abstract", ""))]
        if not subcommands:
            lines += [".PP", " ".join([f"\\fBdoorward {text(' '.join(path))}\\fR", *map(usage, own)])]
        if command.get("discussion"):
            lines += [".PP", *paragraphs(command["discussion"])]
        for argument in own:
            if argument.get("abstract"):
                lines += [".TP", usage(argument), text(argument["abstract"])]
    for sub in subcommands:
        lines += page(sub, [*path, sub["commandName"]])
    return lines


date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
print("\n".join([
    f'.TH DOORWARD 1 "{date}" "Doorward {text(version)}"', ".SH NAME", f"doorward \\- {text(root['abstract'])}", ".SH SYNOPSIS",
    "\\fBdoorward\\fR \\fIcommand\\fR [\\fIargument\\fR...] [\\fIoption\\fR...]", ".PP",
    "\\fBdoorward help\\fR \\fIcommand\\fR", ".SH DESCRIPTION", *paragraphs(root["discussion"]), ".SH COMMANDS", *page(root, []),
    ".SH FILES", ".TP", "\\fI/etc/doorward/doorward.yaml\\fR", "The configuration of the service.", ".TP",
    "\\fI/var/lib/doorward\\fR", "The database of the service and its keys.", ".SH SEE ALSO",
    "The pages in \\fI/usr/share/doc/doorward\\fR.",
]))
