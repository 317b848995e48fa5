#!/usr/bin/env python3
"""A second implementation of docs/log-format.md, version 1, that shares no code with Doorward.

It needs only Python 3.9 and its standard library.

    verify_log.py DATABASE            checks every log of a gateway's database, which it opens read-only
    verify_log.py --examples FILE     checks worked examples: encodes them again and derives all their hashes
    verify_log.py --verdicts FILE     reads one hexadecimal record per line, and prints `ok`, `unknown` or `refused`

Its exit status is 0 if there is no fault, 1 if there are faults, each reported in a sentence, and 2 if the arguments are wrong
or the file cannot be checked, which is also reported in a sentence.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import re
import sqlite3
import struct
import sys

MAX_RECORD = 65_535
MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1
MAX_SEQ = 2**63 - 1
HEADER = b"DWRD\x01"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ROLES = ("SUPER_ADMIN OWNER PORTFOLIO_ADMIN PROPERTY_MANAGER MAINTENANCE AUDITOR TENANT GUEST").split()

# number: (name, form)
FIELDS = {
    1: ("logId", "log"), 2: ("seq", "unsigned"), 3: ("id", "id"), 4: ("at", "signed"), 5: ("kind", "value"),
    6: ("operation", "value"), 7: ("decision", "value"), 8: ("reason", "value"), 9: ("rule", "rule"),
    10: ("actorKind", "value"), 11: ("actorId", "text"), 12: ("actorName", "personal"), 13: ("actorUserId", "id"),
    14: ("source", "value"), 15: ("clientAddress", "personal"), 16: ("requestId", "text"), 17: ("deviceId", "id"),
    18: ("deviceName", "text"), 19: ("unitId", "id"), 20: ("propertyId", "id"), 21: ("portfolioId", "id"),
    22: ("commandId", "id"), 23: ("outcome", "value"), 24: ("outcomeDetail", "text"), 25: ("stateBefore", "value"),
    26: ("stateAfter", "value"), 27: ("latencyMs", "signed"), 28: ("statedReason", "personal"),
    29: ("override.reason", "personal"), 30: ("event", "value"), 31: ("method", "value"), 32: ("action", "value"),
    33: ("targetType", "text"), 34: ("targetId", "text"), 35: ("details", "details"),
}
REQUIRED = ("logId", "seq", "id", "at", "kind", "actorKind", "source")
STATES = "LOCKED UNLOCKED LOCKING UNLOCKING UNLATCHED JAMMED UNKNOWN"
VALUES = {name: values.split() for name, values in {
    "kind": "COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY",
    "operation": "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN",
    "decision": "ALLOWED DENIED",
    "reason": "user_unknown user_disabled device_unknown device_unassigned no_association role_insufficient"
              " operation_not_granted guest_window_not_started guest_window_ended outside_schedule guest_access_revoked"
              " guest_uses_exhausted grantor_lost_access remote_operation_disabled lockdown_active capability_missing"
              " feature_unavailable clock_untrusted",
    "actorKind": "USER GUEST_LINK API_KEY DEVICE GATEWAY OUTSIDE",
    "source": "API CONSOLE CLI GUEST_LINK DEVICE GATEWAY",
    "outcome": "ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED",
    "stateBefore": STATES,
    "stateAfter": STATES,
    "event": "LOCKED UNLOCKED UNLATCHED JAMMED TAMPER OFFLINE ONLINE BATTERY_LOW DOOR_OPENED DOOR_CLOSED DOOR_FORCED"
             " ATTEMPT_FAILED KEYPAD_LOCKOUT CREDENTIAL_CHANGED COMMAND_DELIVERED_LATE SIGNED_IN SIGNED_OUT SIGN_IN_FAILED"
             " REFRESH_REUSED START STOP CLOCK_STEP CHECKPOINT CHECKPOINT_MISMATCH KEY_ROTATED RECOVERED DENIALS_SUPPRESSED EXPORT ERASURE RETENTION_CUT",
    "method": "MANUAL KEYPAD KEY BUTTON AUTO RFID FINGERPRINT FOB APP SCHEDULE REMOTE UNKNOWN",
    "action": "CREATE UPDATE DELETE ASSIGN REMOVE GRANT REVOKE MOVE DISABLE ENABLE",
}.items()}


class Refused(Exception):
    """The bytes are not a record of version 1."""


class UnknownValue(Exception):
    """The record is well-formed but contains a value that this program does not know."""


class Commitment:
    """The commitment to a personal value in a record."""

    def __init__(self, digest, person=None):
        self.digest, self.person = digest, person


# --- Reading -----------------------------------------------------------------------------------------------------------

def parse_record(data):
    """Returns the fields of a record by name, and rejects anything that is not exactly in the format."""
    if data[:4] != HEADER[:4] or len(data) < len(HEADER):
        raise Refused("does not begin as a record does")
    if data[4] != HEADER[4]:
        raise Refused(f"version {data[4]} is unknown")
    if len(data) > MAX_RECORD:
        raise Refused("larger than a record can be")
    record, position, last = {}, len(HEADER), 0
    unknown = None
    while position < len(data):
        if position + 3 > len(data):
            raise Refused("ends inside a field")
        number, length = struct.unpack_from(">BH", data, position)
        if number not in FIELDS:
            raise Refused(f"field {number} is unknown")
        if number <= last:
            raise Refused(f"field {number} is out of order")
        value = data[position + 3:position + 3 + length]
        if len(value) < length:
            raise Refused("ends inside a field")
        name, form = FIELDS[number]
        try:
            record[name] = parse_value(name, form, value)
        except UnknownValue as error:
            unknown, record[name] = error, None
        last, position = number, position + 3 + length
    check_together(record)
    if unknown:
        raise unknown
    return record


def parse_value(name, form, value):
    if form in ("unsigned", "signed"):
        if len(value) != 8:
            raise Refused(f"{name} has not 8 bytes")
        number = struct.unpack(">Q" if form == "unsigned" else ">q", value)[0]
        if form == "unsigned" and number > MAX_SEQ:
            raise Refused(f"{name} is 2^63 or more")
        return number
    if form == "personal":
        if len(value) != 32:
            raise Refused(f"{name} has not 32 bytes")
        return Commitment(value)
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{name} is not UTF-8")
    if form == "id" and not UUID.fullmatch(text):
        raise Refused(f"{name} is not an id")
    if form == "log" and text != "gateway" and not UUID.fullmatch(text):
        raise Refused(f"{name} is not the id of a log")
    if form == "rule":
        check_rule(text)
    if form == "value" and text not in VALUES[name]:
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text):
            raise UnknownValue(f"{name} is {text}")
        raise Refused(f"{name} is not a word")
    return parse_details(text) if form == "details" else text


def check_rule(text):
    parts = text.split("/")
    if len(parts) != 3:
        raise Refused("rule has not three parts")
    kind, identity, role = parts
    if kind == "SUPER_ADMIN":
        if (identity, role) != ("", "SUPER_ADMIN"):
            raise Refused("rule of the super admin is malformed")
    elif kind in ("ASSOCIATION", "GUEST_ACCESS"):
        if not UUID.fullmatch(identity) or (role != "GUEST" if kind == "GUEST_ACCESS" else role not in ROLES):
            raise Refused("rule is malformed")
    else:
        raise Refused("rule is of no known kind")


def check_together(record):
    for name in REQUIRED:
        if name not in record:
            raise Refused(f"{name} is missing")
    if "deviceName" in record and "deviceId" not in record:
        raise Refused("deviceName without deviceId")
    if ("targetType" in record) != ("targetId" in record):
        raise Refused("targetType and targetId come together")


# --- Details -----------------------------------------------------------------------------------------------------------

def parse_details(text):
    """Reads JSON with the library, writes it canonically, and rejects it unless that gives the same text."""
    def no_number(word):
        raise Refused(f"{word} is not a whole number")

    def members(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise Refused("a key comes twice")
        return dict(pairs)

    try:
        tree = json.loads(text, parse_float=no_number, parse_constant=no_number, object_pairs_hook=members)
    except (ValueError, RecursionError):
        raise Refused("details are not JSON")
    try:
        canonical = write_json(tree)
        canonical.encode("utf-8")
    except (RecursionError, UnicodeEncodeError):
        raise Refused("details are not canonical")
    if canonical != text:
        raise Refused("details are not canonical")
    if not isinstance(tree, dict) or not tree or "$commitment" in tree:
        raise Refused("details are not an object with members")
    return from_written(tree, 1)


def write_json(value):
    """Writes null, booleans, integers, strings, arrays and objects as RFC 8785 specifies. Does not change keys."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Refused("a number is out of range")
        return str(value)
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, list):
        return "[" + ",".join(write_json(element) for element in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(write_string(key) + ":" + write_json(value[key]) for key in keys) + "}"


def write_string(text):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return '"' + "".join(
        short[c] if c in short else f"\\u{ord(c):04x}" if ord(c) < 0x20 else c for c in text) + '"'


def from_written(value, depth):
    """Converts written JSON back: finds the commitments, and removes the second `$` of ordinary keys."""
    if isinstance(value, dict) and "$commitment" in value:
        return parse_commitment(value)
    if isinstance(value, (dict, list)) and depth > MAX_DEPTH:
        raise Refused("details are nested too deep")
    if isinstance(value, list):
        return [from_written(element, depth + 1) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, member in value.items():
        if key.startswith("$") and not key.startswith("$$"):
            raise Refused(f"the key {key} is reserved")
        result[key[1:] if key.startswith("$$") else key] = from_written(member, depth + 1)
    return result


def parse_commitment(value):
    if not set(value) <= {"$commitment", "$person"} or not isinstance(value["$commitment"], str):
        raise Refused("a commitment is malformed")
    try:
        digest = base64.b64decode(value["$commitment"], validate=True)
    except ValueError:
        raise Refused("a commitment is not base64")
    if len(digest) != 32 or base64.b64encode(digest).decode() != value["$commitment"]:
        raise Refused("a commitment has not 32 bytes in canonical base64")
    if "$person" in value and not (isinstance(value["$person"], str) and UUID.fullmatch(value["$person"])):
        raise Refused("the person of a commitment is not an id")
    return Commitment(digest, value.get("$person"))


def path_of(path, step):
    if isinstance(step, int):
        return f"{path}[{step}]"
    escaped = step.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[").replace("\0", "\\0")
    return f"{path}.{escaped}"


# --- Personal values ---------------------------------------------------------------------------------------------------

def salt_of(key, record, field):
    return hmac.new(key, record.encode() + b"\0" + field.encode(), hashlib.sha256).digest()


def commitment_of(field, salt, value):
    return hashlib.sha256(b"doorward/pii/1\0" + field.encode() + b"\0" + salt + value.encode()).digest()


def owner_of(person, at):
    return "user/" + person if person else "day/" + day_of(at)


def day_of(at):
    """Returns the UTC date of an instant in milliseconds, also for years that Python's dates do not support."""
    days = at // 86_400_000 + 719_468
    era, day_of_era = divmod(days, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04d}-{month:02d}-{day_of_year - (153 * shifted + 2) // 5 + 1:02d}"


# --- Writing, for the examples -----------------------------------------------------------------------------------------

def encode_record(fields, personal):
    """Encodes a record given by field names. `personal(field, value, person)` returns a commitment."""
    data = bytearray(HEADER)
    for number, (name, form) in FIELDS.items():
        if name in fields:
            value = encode_value(name, form, fields, personal)
            data += struct.pack(">BH", number, len(value)) + value
    return bytes(data)


def encode_value(name, form, fields, personal):
    value = fields[name]
    if form == "unsigned":
        return struct.pack(">Q", value)
    if form == "signed":
        return struct.pack(">q", value)
    if form == "personal":
        return personal(name, value, fields.get("actorUserId"))
    if form == "details":
        return write_json(to_written(value, "details", personal)).encode()
    return value.encode()


def to_written(value, path, personal):
    """Converts details to the JSON to write. In the examples a personal value is an object with the single key `!`, whose
    value is a list of one element: `{"personal": value, "person": id or null}`."""
    if isinstance(value, list):
        return [to_written(element, path_of(path, index), personal) for index, element in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) == {"!"}:
        given = value["!"][0]
        digest = personal(path, given["personal"], given["person"])
        written = {"$commitment": base64.b64encode(digest).decode()}
        return written if given["person"] is None else {**written, "$person": given["person"]}
    return {
        ("$" + key if key.startswith("$") else key): to_written(member, path_of(path, key), personal)
        for key, member in value.items()}


# --- The tree ----------------------------------------------------------------------------------------------------------

def leaf_hash(data):
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_hash(leaves):
    """Returns the root of a tree: MTH exactly as in RFC 6962, section 2.1."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(tree_hash(leaves[:split]), tree_hash(leaves[split:]))


def frontier_of(leaves):
    """Returns the stored frontier of a tree, computed subtree by subtree."""
    data, position = struct.pack(">Q", len(leaves)), 0
    for bit in reversed(range(len(leaves).bit_length())):
        if len(leaves) >> bit & 1:
            data += tree_hash(leaves[position:position + (1 << bit)])
            position += 1 << bit
    return data


class RunningFrontier:
    """Computes the same frontier as `frontier_of`, one leaf at a time, for logs of any length."""

    def __init__(self):
        self.size, self.roots = 0, []

    def append(self, leaf):
        node, size = leaf, self.size
        while size & 1:
            node, size = node_hash(self.roots.pop(), node), size >> 1
        self.roots.append(node)
        self.size += 1

    def data(self):
        return struct.pack(">Q", self.size) + b"".join(self.roots)


# --- The three modes ---------------------------------------------------------------------------------------------------

class NotOurs(Exception):
    """The file cannot be read, or is not one that this program can check."""


class LogChecker:
    """Checks the records of one log in order. Reports the first fault, and only counts the records after it."""

    def __init__(self, log, faults):
        self.log, self.faults = log, faults
        self.count, self.frontier, self.last_at, self.is_broken = 0, RunningFrontier(), None, False

    def add(self, seq, data, stored_leaf):
        expected, self.count = self.count, self.count + 1
        if self.is_broken:
            return
        fault = self.fault_of(expected, seq, data, stored_leaf)
        if fault:
            self.is_broken = True
            self.faults.append(f"log {self.log}, record {expected}: {fault}")

    def fault_of(self, expected, seq, data, stored_leaf):
        if not isinstance(data, bytes):
            return "is not kept as bytes"
        try:
            record = parse_record(data)
        except (Refused, UnknownValue) as error:
            return str(error)
        if seq != expected or record["seq"] != expected:
            return f"seq is {record['seq']}, stored under {seq}"
        if record["logId"] != self.log:
            return f"is of log {record['logId']}"
        if self.last_at is not None and record["at"] < self.last_at:
            return "is earlier than the one before"
        self.last_at = record["at"]
        leaf = leaf_hash(data)
        self.frontier.append(leaf)
        return None if stored_leaf == leaf else "the stored leaf hash is not its own"

    def end(self, size, frontier):
        if size != self.count:
            self.faults.append(f"log {self.log}: says {size} records and has {self.count}")
        if not self.is_broken and frontier != self.frontier.data():
            self.faults.append(f"log {self.log}: the stored frontier is not that of its {self.count} records")


def check_database(path):
    """Checks all logs in one pass. The URI opens the file read-only, and its path is escaped, so nothing is ever written."""
    faults, count = [], 0
    try:
        database = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True)
        # One transaction, so that both queries see the same state even during writes.
        database.execute("BEGIN")
        logs = database.execute("SELECT log_id, size, frontier FROM logs ORDER BY log_id").fetchall()
        checkers = {log: LogChecker(log, faults) for log, _, _ in logs}
        unlisted = set()
        # Sorted by `position`, the records of each log are consecutive and in the log's order.
        for log, seq, data, leaf in database.execute("SELECT log_id, seq, bytes, leaf_hash FROM records ORDER BY position"):
            count += 1
            if log in checkers:
                checkers[log].add(seq, data, leaf)
            else:
                unlisted.add(log)
        database.close()
    except (sqlite3.Error, ValueError) as error:
        raise NotOurs(f"{path}: cannot be read as the database of a gateway: {error}")
    for log, size, frontier in logs:
        checkers[log].end(size, frontier)
    faults += [f"log {log}: has records and is not listed" for log in sorted(unlisted)]
    print(f"{len(logs)} logs, {count} records, {len(faults)} faults")
    return faults


def check_examples(path):
    try:
        with open(path, encoding="utf-8") as file:
            examples = json.load(file)
        examples["logs"], examples["refused"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NotOurs(f"{path}: cannot be read as worked examples: {error}")
    faults = []
    for log in examples["logs"]:
        check_example_log(log, faults)
    for case in examples["refused"]:
        try:
            parse_record(bytes.fromhex(case["bytes"]))
            faults.append(f"not refused: {case['name']}")
        except (Refused, UnknownValue):
            pass
    return faults


def check_example_log(log, faults):
    keys = {owner: bytes.fromhex(key) for owner, key in log["keys"].items()}
    leaves, records = [], []
    for seq, example in enumerate(log["records"]):
        where = f"example {log['logId']} {seq}"
        data = bytes.fromhex(example["bytes"])
        expected = iter(example["personal"])
        fields = example["fields"]

        def personal(field, value, person):
            owner = owner_of(person, fields["at"])
            salt = salt_of(keys[owner], fields["id"], field)
            digest = commitment_of(field, salt, value)
            found = {"field": field, "owner": owner, "value": value, "salt": salt.hex(), "commitment": digest.hex()}
            given = next(expected, {})
            for name, text in found.items():
                if given.get(name) != text:
                    faults.append(f"{where}: {name} of {field} should be {text}")
            if not given.get("sealed", "").startswith(digest.hex()[:24]) or len(given["sealed"]) != 56 + 2 * len(value.encode()):
                faults.append(f"{where}: {field} is not sealed as it should be")
            return digest

        if encode_record(fields, personal) != data:
            faults.append(f"{where}: the fields encode otherwise")
        if next(expected, None) is not None:
            faults.append(f"{where}: has more personal values than the record commits to")
        leaves.append(leaf_hash(data))
        records.append((seq, data, bytes.fromhex(example["leafHash"])))
        if example["frontier"] != frontier_of(leaves).hex() or example["root"] != tree_hash(leaves).hex():
            faults.append(f"{where}: the tree after it is another")
    checker = LogChecker(log["logId"], faults)
    for record in records:
        checker.add(*record)
    checker.end(len(records), frontier_of(leaves))


def print_verdicts(path):
    try:
        with open(path, encoding="ascii") as file:
            records = [bytes.fromhex(line) for line in file]
    except (OSError, ValueError) as error:
        raise NotOurs(f"{path}: cannot be read as records in hexadecimal: {error}")
    for record in records:
        try:
            parse_record(record)
            print("ok")
        except UnknownValue:
            print("unknown")
        except Refused:
            print("refused")
    return []


def main(arguments):
    jobs = {"--examples": check_examples, "--verdicts": print_verdicts}
    try:
        if len(arguments) == 2 and arguments[0] in jobs:
            faults = jobs[arguments[0]](arguments[1])
        elif len(arguments) == 1 and not arguments[0].startswith("-"):
            faults = check_database(arguments[0])
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except NotOurs as error:
        print(error, file=sys.stderr)
        return 2
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
