#!/usr/bin/env python3
"""Verifies an export of an access log: a second implementation of docs/log-format.md that shares no code with Doorward.

    verify-log.py EXPORT --log ORIGIN --public-key FILE [--checkpoint FILE] [--since FILE]
    verify-log.py --many --log ORIGIN --public-key FILE < NAMES

The origin and the key are those that you expect. With --many, the names of exports are read from standard input, and a line is
printed for each: `whole`, `changed LINE` or `incomplete LINE`. Exit codes: 0 whole, 1 changed, 2 wrong usage, 4 incomplete or
rolled back. Needs nothing but Python 3.9.
"""
import argparse
import base64
import binascii
import datetime
import functools
import hashlib
import json
import re
import struct
import sys

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
ROLES = "SUPER_ADMIN OWNER PORTFOLIO_ADMIN PROPERTY_MANAGER MAINTENANCE AUDITOR TENANT GUEST".split()
# The fields of section 1 in the order of their numbers, from 1: name and form.
FIELDS = [field.split(":") for field in (
    "logId:text seq:unsigned id:id at:instant kind:word operation:word decision:word reason:word rule:rule actorKind:word"
    " actorId:text actorName:commitment actorUserId:id source:word clientAddress:commitment requestId:text deviceId:id"
    " deviceName:text unitId:id propertyId:id portfolioId:id commandId:id outcome:word outcomeDetail:text stateBefore:word"
    " stateAfter:word latencyMs:signed statedReason:commitment override:commitment event:word method:word action:word"
    " targetType:text targetId:text details:details").split()]
REQUIRED = {"logId", "seq", "id", "at", "kind", "actorKind", "source"}


class Changed(Exception):
    """The line is not what the gateway wrote."""


def require(condition, message):
    if not condition:
        raise Changed(message)


def dumps(value):
    """Writes JSON as RFC 8785 does; objects keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loads(text):
    def refuse(word):
        raise Changed(f"{word} is not a whole number")
    try:
        return json.loads(text, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Changed("not JSON") from error


def unbase64(text, length=None):
    require(isinstance(text, str), "base64 expected")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Changed("not base64") from error
    require(base64.b64encode(data).decode() == text, "base64 of another spelling")
    require(length is None or len(data) == length, f"{length} bytes expected")
    return data


# --- Ed25519 (RFC 8032, section 5.1.7) ---------------------------------------------------------------------------------

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)


def add(a, b):
    """Adds two points in extended coordinates."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    g, h = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = (f - e) % P, (h - g) % P, (h + g) % P, (f + e) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def decompress(data):
    """Returns a point, or None if the 32 bytes are none."""
    y, sign = int.from_bytes(data, "little") & (1 << 255) - 1, data[31] >> 7
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signature(key, signature, message):
    point, other = decompress(key), decompress(signature[:32]) if len(signature) == 64 else None
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or other is None or scalar >= ORDER:
        return False
    factor = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = times(scalar, BASE), add(other, times(factor, point))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- Checkpoints (section 7) -------------------------------------------------------------------------------------------

def read_key(line):
    name, key_id, key = line.split("+", 2)
    data = base64.b64decode(key, validate=True)
    digest = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
    if len(data) != 33 or data[0] != 1 or digest.hex() != key_id:
        raise ValueError
    return name, digest, data[1:]


@functools.lru_cache
def open_checkpoint(note, origin, keys):
    """Returns size and root of a checkpoint that one of the keys has signed."""
    text, gap, signatures = note.rpartition("\n\n")
    lines = text.split("\n")
    require(gap and signatures.endswith("\n") and len(lines) >= 3, "no signed checkpoint")
    require(lines[0] == origin, f"a checkpoint of {lines[0]!r}")
    require(re.fullmatch("0|[1-9][0-9]*", lines[1]), "no checkpoint")
    root, is_signed = unbase64(lines[2], 32), False
    for line in signatures[:-1].split("\n"):
        parts = line.split(" ")
        require(len(parts) == 3 and parts[0] == "\u2014", "no signature line")
        data = unbase64(parts[2])
        for name, key_id, key in keys:
            if parts[1] == name and data[:4] == key_id:
                require(is_signature(key, data[4:], (text + "\n").encode()), "the signature of the checkpoint is wrong")
                is_signed = True
    require(is_signed, "the expected key has not signed the checkpoint")
    return int(lines[1]), root


# --- The tree (sections 5 and 9) ---------------------------------------------------------------------------------------

def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def siblings(index, start, end):
    """The siblings on the path from a leaf to the top of the subtree over [start, end), the lowest first."""
    found = []
    while end - start > 1:
        split = start + (1 << (end - start - 1).bit_length() - 1)
        found.append((split, end, True) if index < split else (start, split, False))
        start, end = (start, split) if index < split else (split, end)
    return found[::-1]


class Frontier:
    """The roots of the complete subtrees, the largest first."""

    def __init__(self, size, roots):
        self.size, self.roots = size, roots

    def append(self, leaf):
        size = self.size
        while size & 1:
            leaf, size = node_hash(self.roots.pop(), leaf), size >> 1
        self.roots.append(leaf)
        self.size += 1

    def root(self):
        result = self.roots[-1]
        for left in self.roots[-2::-1]:
            result = node_hash(left, result)
        return result


# --- Records (sections 1 to 3) -----------------------------------------------------------------------------------------

class Record:
    """The fields of a record as an export writes them, from the record's bytes and the personal values beside them."""

    def __init__(self, data, personal):
        self.personal, self.used, self.fields = personal, 0, {}
        require(data[:5] == b"DWRD\x01" and len(data) <= 65_535, "no record of version 1")
        position, last = 5, 0
        while position < len(data):
            require(position + 3 <= len(data), "the record ends inside a field")
            number, length = struct.unpack_from(">BH", data, position)
            value = data[position + 3:position + 3 + length]
            require(last < number <= len(FIELDS) and len(value) == length, f"field {number} is malformed")
            name, form = FIELDS[number - 1]
            self.fields[name] = getattr(self, "read_" + form)(name, value)
            last, position = number, position + 3 + length
        require(REQUIRED <= self.fields.keys(), "a required field is missing")
        require("deviceName" not in self.fields or "deviceId" in self.fields, "deviceName without deviceId")
        require(("targetType" in self.fields) == ("targetId" in self.fields), "half a target")
        require(self.used == len(personal), "too many personal values")

    def read_text(self, name, value):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise Changed(f"{name} is not UTF-8") from error

    def read_matching(self, pattern, name, value):
        text = self.read_text(name, value)
        require(pattern.fullmatch(text), f"{name} is malformed")
        return text

    def read_id(self, name, value):
        return self.read_matching(UUID, name, value)

    def read_word(self, name, value):
        return self.read_matching(WORD, name, value)

    def read_unsigned(self, name, value):
        require(len(value) == 8 and value[0] < 128, f"{name} is malformed")
        return int.from_bytes(value, "big")

    def read_signed(self, name, value):
        require(len(value) == 8, f"{name} is malformed")
        return int.from_bytes(value, "big", signed=True)

    def read_instant(self, name, value):
        self.at = self.read_signed(name, value)
        try:
            time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=self.at)
        except OverflowError as error:
            raise Changed("at is out of range") from error
        return time.isoformat(timespec="milliseconds") + "Z"

    def read_rule(self, name, value):
        kind, identity, role = (self.read_text(name, value).split("/") + ["", "", ""])[:3]
        if value == b"SUPER_ADMIN//SUPER_ADMIN":
            return {"kind": kind, "id": None, "role": role}
        require(value == f"{kind}/{identity}/{role}".encode() and UUID.fullmatch(identity), "rule is malformed")
        require((kind == "ASSOCIATION" and role in ROLES) or (kind == "GUEST_ACCESS" and role == "GUEST"), "rule is malformed")
        return {"kind": kind, "id": identity, "role": role}

    def read_commitment(self, name, value):
        require(len(value) == 32, f"{name} is malformed")
        if name == "override":
            return {"reason": self.reveal("override.reason", value)}
        return self.reveal(name, value)

    def reveal(self, field, commitment):
        """The next personal value, checked against its commitment; None if it is erased or withheld."""
        require(self.used < len(self.personal), "a personal value is missing")
        entry = self.personal[self.used]
        self.used += 1
        if entry is None:
            return None
        require(isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str), "a personal value is malformed")
        try:
            data = b"doorward/pii/1\0" + field.encode() + b"\0" + unbase64(entry[1], 32) + entry[0].encode()
        except UnicodeEncodeError as error:
            raise Changed("a personal value is not Unicode") from error
        require(hashlib.sha256(data).digest() == commitment, f"the record does not commit to the value of {field}")
        return entry[0]

    def read_details(self, name, value):
        text = self.read_text(name, value)
        tree = loads(text)
        require(isinstance(tree, dict) and tree and "$commitment" not in tree and dumps(tree) == text, "details are malformed")
        return self.details(tree, name, 1)

    def details(self, value, path, depth):
        if isinstance(value, dict) and "$commitment" in value:
            require(set(value) <= {"$commitment", "$person"}, "a commitment is malformed")
            return self.reveal(path, unbase64(value["$commitment"], 32))
        require(not isinstance(value, (dict, list)) or depth <= 32, "details are nested too deep")
        if isinstance(value, list):
            return [self.details(element, f"{path}[{index}]", depth + 1) for index, element in enumerate(value)]
        if not isinstance(value, dict):
            return value
        result = {}
        for key, member in value.items():
            require(not key.startswith("$") or key.startswith("$$"), "a key is reserved")
            key = key[1:] if key.startswith("$") else key
            step = key.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[").replace("\0", "\\0")
            result[key] = self.details(member, f"{path}.{step}", depth + 1)
        return result


# --- Exports (section 9) -----------------------------------------------------------------------------------------------

class Export:
    """Verifies the lines of an export in order."""

    def __init__(self, origin, keys, others=()):
        self.origin, self.keys, self.others = origin, keys, others
        self.range, self.count, self.last, self.ended, self.frontier = None, 0, None, False, None
        self.comparisons = [None] * len(others)

    def header(self, line):
        value = loads(line)
        require(isinstance(value, dict) and isinstance(value.get("checkpoint"), str), "no header of an export")
        self.is_complete = value.get("complete") is True
        names = ["format", "complete", "logId"] + ["from", "until"] * self.is_complete + ["checkpoint", "publicKey"]
        require(list(value) == names and dumps(value) == line, "no header of an export")
        require(value["format"] == "doorward-export/1" and value["complete"] in (True, False), "another format")
        own = tuple(key for text, key in self.keys.items() if text == value["publicKey"])
        require(own, "the export is not signed by the expected key")
        self.size, self.root = open_checkpoint(value["checkpoint"], self.origin, own)
        log = self.origin.split("/logs/")[-1].split("/")[0]
        require(value["logId"] == log, "the export is one of another log")
        self.log, self.pending = log, [(0, self.size, self.root)]
        if self.is_complete:
            start, end = value["from"], value["until"]
            require(type(start) is int and type(end) is int and 0 <= start < end <= self.size, "the range is malformed")
            self.range = (start, end)
        for index, (size, root) in enumerate(self.others):
            if size == self.size:
                self.comparisons[index] = "consistent" if root == self.root else "changed"

    def line(self, line):
        """Returns "incomplete" if the file ends in this line, although records are missing."""
        require(not self.ended, "a line after the end")
        value = loads(line)
        require(isinstance(value, dict), "not a line of an export")
        if list(value) == ["records"]:
            require(line == dumps({"records": self.count}), "another number of records than there are")
            if self.range and self.count < self.range[1] - self.range[0]:
                return "incomplete"
            self.ended = True
            return None
        require(list(value) == ["seq", "leafHash", "proof", "bytes", "personal", "record"], "not a line of an export")
        require(isinstance(value["proof"], list) and isinstance(value["personal"], list), "not a line of an export")
        data = unbase64(value["bytes"])
        leaf, proof = leaf_hash(data), [unbase64(text, 32) for text in value["proof"]]
        record = Record(data, value["personal"])
        seq = record.fields["seq"]
        value.update(seq=seq, leafHash=base64.b64encode(leaf).decode(), record=record.fields)
        require(dumps(value) == line, "the fields or the leaf hash are not those of the record")
        require(record.fields["logId"] == self.log, "a record of another log")
        require(not self.range or seq == self.range[0] + self.count < self.range[1], f"the record has the number {seq}")
        require(not self.last or (seq > self.last[0] and record.at >= self.last[1]), "the record is not after the one before")
        self.authenticate(seq, leaf, proof)
        self.last, self.count = (seq, record.at), self.count + 1
        return None

    def authenticate(self, seq, leaf, proof):
        """Follows the proof to a part of the tree whose hash is known; the hashes to the right are then known, too."""
        require(self.pending and self.pending[-1][0] <= seq < self.pending[-1][1], "the record is not in the log")
        start, end, known = self.pending[-1]
        path, result = siblings(seq, start, end), leaf
        require(len(path) == len(proof), "the proof has another length")
        for (_, _, is_right), other in zip(path, proof):
            result = node_hash(result, other) if is_right else node_hash(other, result)
        require(result == known, "the log of the checkpoint has another record with this number")
        if not self.is_complete:
            return
        if self.frontier is None:
            self.frontier = Frontier(seq, [other for (_, _, is_right), other in zip(path, proof) if not is_right][::-1])
            self.compare()
        self.pending.pop()
        self.pending += [(low, high, other) for (low, high, is_right), other in zip(path, proof) if is_right][::-1]
        if any(size > seq for size, _ in self.others):
            self.frontier.append(leaf)
            self.compare()

    def compare(self):
        for index, (size, root) in enumerate(self.others):
            if size == self.frontier.size and self.comparisons[index] is None:
                is_same = root == (self.frontier.root() if size else hashlib.sha256().digest())
                self.comparisons[index] = "consistent" if is_same else "changed"


def verify(path, export):
    """Returns the verdict, the number of the line that it is about, and a reason."""
    number = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return ("changed", number, "a line after the end") if export.ended else ("incomplete", number, "cut short")
            try:
                text = line[:-1].decode()
                if (export.header if number == 1 else export.line)(text) == "incomplete":
                    return "incomplete", number, "records are missing at the end"
            except (Changed, UnicodeError, RecursionError, ValueError) as error:
                return "changed", number, str(error)
    return ("whole", number, "") if export.ended else ("incomplete", number + 1, "cut short")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", nargs="?")
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--log", required=True)
    parser.add_argument("--public-key", required=True)
    parser.add_argument("--checkpoint")
    parser.add_argument("--since")
    options = parser.parse_args()
    if options.many == bool(options.export):
        parser.error("name one export, or none with --many")
    try:
        with open(options.public_key, encoding="utf-8") as file:
            keys = {line: read_key(line) for line in file.read().split("\n") if line}
        names = [name for name in (options.checkpoint, options.since) if name]
        others = []
        for name in names:
            with open(name, encoding="utf-8", newline="") as file:
                others.append(open_checkpoint(file.read(), options.log, tuple(keys.values())))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    except Changed as error:
        print(error, file=sys.stderr)
        return 1
    if options.many:
        for name in sys.stdin:
            verdict, number, _ = verify(name.rstrip("\n"), Export(options.log, keys))
            print(verdict if verdict == "whole" else f"{verdict} {number}")
        return 0
    export = Export(options.log, keys, others)
    verdict, number, reason = verify(options.export, export)
    if verdict != "whole":
        seq = export.range[0] + export.count if export.range and number > 1 else None
        print(f"{verdict}: line {number}" + ("" if seq is None else f", record {seq}") + f": {reason}", file=sys.stderr)
        return 1 if verdict == "changed" else 4
    for name, comparison, (size, _) in zip(names, export.comparisons, others):
        if comparison != "consistent":
            is_newer = size > export.size
            print(f"{name}: " + ("records under this checkpoint were changed" if comparison else
                                 "the export is older than this checkpoint" if is_newer else
                                 "the export does not have the records to compare with"), file=sys.stderr)
            return 1 if comparison else 4
    if not export.is_complete:
        print(f"genuine: {export.count} records; whether others are missing is not shown")
        return 4
    print(f"whole: records {export.range[0]} to {export.range[1] - 1} of the {export.size} in the checkpoint")
    return 0


if __name__ == "__main__":
    sys.exit(main())
