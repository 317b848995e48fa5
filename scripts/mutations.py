"""Changes single operators, values and calls of the sources, one at a time, and counts the changes that no test notices.

    scripts/mutations [COUNT] [SEED]      COUNT changes (200) that the seed chooses (a new one, which is printed)

All changes are compiled at once: each has a number, and takes effect if the environment variable DOORWARD_MUTATION has it. So one build
serves all of them, and each runs only tests. A change that does not compile is dropped. One that ends the tests with a failure, a crash
or not at all is noticed. Ends with 1 if fewer than 95 of 100 are noticed. Takes hours: run it weekly.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build/mutations"
# The rooms, and the targets whose tests are asked, the quickest first.
ROOMS = {
    "Sources/DoorwardDomain": ["DoorwardDomainTests", "DoorwardPolicyTests", "DoorwardAuditTests", "DoorwardKernelTests", "DoorwardControlTests", "DoorwardHTTPTests"],
    "Sources/DoorwardPolicy": ["DoorwardPolicyTests", "DoorwardControlTests", "DoorwardHTTPTests"],
    "Sources/DoorwardAudit": ["DoorwardAuditTests", "DoorwardStoreTests"],
    "Sources/DoorwardKernel": ["DoorwardKernelTests", "DoorwardControlTests", "DoorwardHTTPTests", "DoorwardStoreTests"],
    "Sources/DoorwardLocks": ["DoorwardLocksTests", "DoorwardControlTests", "DoorwardHTTPTests"],
    "Sources/DoorwardTenancy": ["DoorwardControlTests", "DoorwardHTTPTests"],
    "Sources/DoorwardRecords": ["DoorwardControlTests", "DoorwardHTTPTests"],
    "Sources/DoorwardStreams": ["DoorwardStreamsTests", "DoorwardHTTPTests"],
    "Sources/DoorwardStore": ["DoorwardStoreTests", "DoorwardControlTests"],
    "adapters/mqtt/Sources": ["AdapterMQTTTests"],
}
SWITCH = "Sources/DoorwardDomain/Mutations.swift"
# A test may wait for something that a change keeps from happening: how many times as long as without a change the tests of a target
# may take, and at least how many seconds.
PATIENCE, LEAST_SECONDS = 3, 120

# What an operator becomes, with its precedence group and the declaration's constraint.
COMPARISONS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+"}
OPERATOR = re.compile(r" (==|!=|<=|>=|<|>|&&|\|\||\+|-) ")
CALL = re.compile(r"^(\s+)((?:try )?(?:await )?[a-z_][\w.]*(?:\[[^\]]*\])?\(.*\))$")
NOT_A_CALL = re.compile(r"^\s+(?:self\.init|super\.init|return|if|guard|while|switch|for|init|precondition|withLock)\b")


def sites(path):
    """The places of a file: (line, column or None, what stands there, what it becomes)."""
    found, in_text = [], False
    for number, line in enumerate((ROOT / path).read_text().split("\n")):
        code = line.split("//")[0] if '"' not in line else line
        if line.count('"""') % 2:
            in_text = not in_text
        if in_text or line.lstrip().startswith(("//", "@", "import ", "precedencegroup", "infix", "case ", "package enum", "extension", "struct")):
            continue
        for match in OPERATOR.finditer(code):
            before = code[:match.start()]
            # Neither in a text, nor a comparison with nil, nor in the declaration of an operator, nor in a generic clause.
            if before.count('"') % 2 or before.endswith("func") or re.match(r"nil\b", code[match.end():]) or re.search(r"\bwhere\b[^{]*\b[A-Z][\w.]*$", before):
                continue
            operator = match.group(1)
            becomes = {**COMPARISONS, **LOGIC, **ARITHMETIC}[operator]
            found.append((number, match.start() + 1, operator, becomes))
        for match in re.finditer(r"\b(true|false)\b", code):
            if code[:match.start()].count('"') % 2 == 0 and re.search(r"(return|=|:|in|\{) $", code[:match.start()]) and not re.search(r"\b(func|init|let \w+: Bool)\b", code):
                found.append((number, match.start(), match.group(1), "false" if match.group(1) == "true" else "true"))
        if CALL.match(line) and not NOT_A_CALL.match(line):
            found.append((number, None, line.strip(), "nothing"))
    return [(path, *site) for site in found]


def name(operator, index):
    """An operator of its own for a change: Swift's operators have no digits, so the number is written in two signs."""
    return operator + "~" + "".join("^" if bit == "1" else "~" for bit in f"{index:b}")


def declaration(index, operator, becomes):
    own = name(operator, index)
    if operator in LOGIC:
        group = "LogicalConjunctionPrecedence" if operator == "&&" else "LogicalDisjunctionPrecedence"
        head = f"package func {own} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool"
        return f"infix operator {own}: {group}\n{head} {{ isMutation({index}) ? try a {becomes} b() : try a {operator} b() }}\n"
    if operator in ARITHMETIC:
        head = f"package func {own} <T: AdditiveArithmetic>(a: T, b: T) -> T"
        return f"infix operator {own}: AdditionPrecedence\n{head} {{ isMutation({index}) ? a {becomes} b : a {operator} b }}\n"
    constraint = "Equatable" if operator in ("==", "!=") else "Comparable"
    head = f"package func {own} <T: {constraint}>(a: T, b: T) -> Bool"
    return f"infix operator {own}: ComparisonPrecedence\n{head} {{ isMutation({index}) ? a {becomes} b : a {operator} b }}\n"


SWITCH_HEAD = """internal import FoundationEssentials

private let mutation = ProcessInfo.processInfo.environment["DOORWARD_MUTATION"].flatMap { Int($0) }

/// Whether this change is the one that takes effect.
package func isMutation(_ index: Int) -> Bool { mutation == index }

"""


def importing(path):
    """How the room of a file imports the switch: with an access level, if its other files state one."""
    room = next(room for room in ROOMS if path.startswith(room + "/"))
    states = any(re.search(r"^(package|internal|public) import DoorwardDomain$", other.read_text(), re.M) for other in (ROOT / room).rglob("*.swift"))
    return "internal import DoorwardDomain" if states else "import DoorwardDomain"


def write(chosen):
    """Writes the sources with the chosen changes into the folder; `chosen` maps a number to a place."""
    declarations, by_file = [SWITCH_HEAD], {}
    for index, site in chosen.items():
        by_file.setdefault(site[0], []).append((index, site))
    for path in {site[0] for site in chosen.values()} | set(write.touched):
        lines = (ROOT / path).read_text().split("\n")
        for index, (_, number, column, stands, becomes) in sorted(by_file.get(path, []), key=lambda one: -(one[1][2] or 0)):
            line = lines[number]
            if column is None:
                indent = line[:len(line) - len(line.lstrip())]
                lines[number] = f"{indent}if !isMutation({index}) {{ {line.strip()} }}"
            elif stands in ("true", "false"):
                lines[number] = f"{line[:column]}(isMutation({index}) ? {becomes} : {stands}){line[column + len(stands):]}"
            else:
                lines[number] = line[:column] + name(stands, index) + line[column + len(stands):]
                declarations.append(declaration(index, stands, becomes))
        if path in by_file and not re.search(r"^(\w+ )?import DoorwardDomain$", "\n".join(lines), re.M) and "DoorwardDomain/" not in path:
            first = next(n for n, line in enumerate(lines) if line.strip() and not line.startswith("//"))
            # On the same line, so that the others keep their numbers.
            lines[first] = f"{importing(path)}; {lines[first]}"
        target = FOLDER / path
        if not target.exists() or target.read_text() != "\n".join(lines):
            target.write_text("\n".join(lines))
    write.touched = list(by_file)
    (FOLDER / SWITCH).write_text("".join(declarations))


write.touched = []


def build(chosen):
    """Builds, and drops what does not compile until it builds."""
    while True:
        write(chosen)
        done = subprocess.run(["swift", "build", "--build-tests"], cwd=FOLDER, capture_output=True, text=True)
        if done.returncode == 0:
            return
        wrong = {(str(Path(path).relative_to(FOLDER)), int(line) - 1) for path, line in re.findall(r"^(/\S+\.swift):(\d+):\d+: error:", done.stdout + done.stderr, re.M)}
        bad = {index for index, site in chosen.items() if (site[0], site[1]) in wrong}
        if not bad:
            # An error beside a change, such as a type that is no longer inferred: all of the file go.
            files = {path for path, _ in wrong}
            bad = {index for index, site in chosen.items() if site[0] in files}
        if not bad:
            sys.exit(done.stdout[-4000:] + done.stderr[-4000:])
        for index in bad:
            del chosen[index]
        print(f"{len(bad)} do not compile; {len(chosen)} are left", flush=True)


def notices(target, index, seconds=None):
    """Whether the tests of a target notice the change. The first failure ends them; so does a time of `seconds`."""
    tests = FOLDER / ".build/debug/doorwardPackageTests.xctest"
    command = [tests, "--testing-library", "swift-testing", "--filter", rf"^{target}\.", "--experimental-maximum-parallelization-width", "6"]
    environment = {**os.environ, "DOORWARD_MUTATION": str(index)}
    with subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace") as running:
        ended = threading.Timer(seconds, running.kill) if seconds else None
        if ended:
            ended.start()
        for line in running.stdout:
            # Those of the MQTT adapter end their brokers themselves.
            if "recorded an issue" in line and target != "AdapterMQTTTests":
                running.kill()
        status = running.wait()
        if ended:
            ended.cancel()
        return status != 0


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"Seed {seed}", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]:
        # Only what differs, so that the next run compiles little.
        if (ROOT / path).exists() and not ((FOLDER / path).exists() and (FOLDER / path).read_bytes() == (ROOT / path).read_bytes()):
            (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, FOLDER / path)
    every = [site for room in ROOMS for path in sorted((ROOT / room).rglob("*.swift")) for site in sites(str(path.relative_to(ROOT)))]
    generator = random.Random(seed)
    # A third more, for those that do not compile. Two changes of one line could hide each other's errors.
    chosen = {}
    for site in generator.sample(every, len(every)):
        if len(chosen) >= count * 4 // 3:
            break
        if site[:2] not in {other[:2] for other in chosen.values()}:
            chosen[len(chosen) + 1] = site
    print(f"{len(every)} places, {len(chosen)} chosen; building", flush=True)
    build(chosen)
    chosen = dict(list(chosen.items())[:count])
    patience = {}
    for target in sorted({target for targets in ROOMS.values() for target in targets}):
        begin = time.monotonic()
        if notices(target, 0):
            sys.exit(f"{target} fails without a change: mend that first")
        patience[target] = max(LEAST_SECONDS, PATIENCE * (time.monotonic() - begin))
    survived = []
    for number, (index, (path, line, _, stands, becomes)) in enumerate(chosen.items(), 1):
        begin = time.monotonic()
        targets = next(targets for room, targets in ROOMS.items() if path.startswith(room + "/"))
        by = next((target for target in targets if notices(target, index, patience[target])), None)
        said = f"noticed by {by}" if by else "SURVIVED"
        print(f"{number:4}/{len(chosen)}  {said}  {path}:{line + 1}  {stands} → {becomes}  ({time.monotonic() - begin:.0f} s)", flush=True)
        if not by:
            survived.append(index)
    noticed = len(chosen) - len(survived)
    print(f"{noticed} of {len(chosen)} noticed, {100 * noticed / len(chosen):.1f} %")
    sys.exit(0 if noticed * 100 >= 95 * len(chosen) else 1)


if __name__ == "__main__":
    main()
