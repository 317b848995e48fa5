"""Prints the tests that docs/seeds.md names and that do not exist."""
import pathlib
import re

client = "\n".join(file.read_text() for folder in ["Tests", "Sources/DoorwardClientTesting"] for file in pathlib.Path(folder).rglob("*.swift"))
pages = "\n".join(file.read_text() for file in pathlib.Path("scripts/pages").rglob("*.py"))
modules = pathlib.Path("scripts/pages/console/console.test.js").read_text()
manifest = pathlib.Path("Package.swift")
packages = manifest.read_text() if manifest.exists() else ""
seeds = pathlib.Path("docs/seeds.md")
lines = seeds.read_text().splitlines() if seeds.exists() else []


def is_there(name):
    if " " in name:
        return f"test('{name}'" in modules
    suite, _, test = name.rpartition(".")
    is_test = re.search(rf"\bfunc `?{re.escape(test)}`?\(|\b(struct|class|extension) {re.escape(test)}\b", client)
    if suite:
        return is_test and re.search(rf"\b(struct|class|extension) {re.escape(suite)}\b", client)
    return is_test or f"def {name}(" in pages or f'"{name}"' in packages or pathlib.Path(name).exists()


for number, line in enumerate(lines, 1):
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if len(cells) == 4:
        for name in re.findall(r"`([^`]+)`", cells[3]):
            if not is_there(name):
                print(f"docs/seeds.md:{number}: {name}")
