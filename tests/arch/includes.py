"""Checks the direction between folders by their #include lines: nothing points at shim, core points at nothing, and
core includes only those standard headers that bring no code into the host.

Usage: includes.py PROJECT_ROOT
"""
import pathlib
import re
import sys

import binary

# Which folders each folder may include. What is not named here may include all but shim.
ALLOWED = {
    "core": {"core"},
    "stats": {"core", "stats"},
    "shim": {"core", "stats", "shim"},
    "session": {"core", "stats", "session"},
    "sim": {"core", "stats", "sim"},
    "cli": {"core", "stats", "session", "sim", "cli"},
    "bench": {"core", "stats", "session", "sim", "bench"},
    "tests/shim": {"core", "stats", "shim", "tests"},
}
FOLDERS = ("core", "stats", "shim", "session", "sim", "cli", "bench", "tests", "examples")
REST = set(FOLDERS) - {"shim"}

# Folders of other projects; they may stand in quotes, and never in core or shim.
OTHERS = {"absl", "benchmark", "CLI", "gmock", "gtest", "nlohmann", "oneapi", "tbb"}

CORE_STANDARD = {"algorithm", "array", "atomic", "bit", "compare", "concepts", "cstddef", "cstdint", "initializer_list",
                 "iterator", "limits", "new", "numeric", "optional", "span", "tuple", "type_traits", "utility"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def allowed_for(path):
    """Returns the folders that the file at `path`, relative to the root, may include."""
    for folder in ("/".join(path.parts[:2]), path.parts[0]):
        if folder in ALLOWED:
            return ALLOWED[folder]
    return REST


def problems_of_line(path, quote, name):
    folder = name.partition("/")[0]
    if folder in OTHERS:
        return f"includes {name}: {path.parts[0]} stands on libc alone" if path.parts[0] in ("core", "shim") else None
    is_ours = quote == '"' or folder in FOLDERS and "/" in name
    if is_ours and (folder not in FOLDERS or ".." in name):
        return f'includes "{name}": write the path from the root of the project'
    if is_ours and folder not in allowed_for(path):
        return f"includes {name}: {path.parts[0]} must not depend on {folder}"
    if not is_ours and path.parts[0] == "core" and name not in CORE_STANDARD:
        return f"includes <{name}>: not among the headers core may use"
    return None


def problems(root):
    found = []
    seen = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc", ".c", ".def"):
                continue
            seen += 1
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if m := INCLUDE.match(line):
                    if problem := problems_of_line(path.relative_to(root), *m.groups()):
                        found.append(f"{path}:{number}: {problem}")
    return found if seen else [f"{root}: no source found"]


if __name__ == "__main__":
    binary.finish(problems(pathlib.Path(sys.argv[1])))
