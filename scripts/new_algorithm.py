#!/usr/bin/python3
"""Starts a new algorithm, or a plug-in, from an existing one. See scripts/new_algorithm.sh."""
import argparse
import difflib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = Path(__file__).resolve().parent / "templates"


class Refused(Exception):
    """Why nothing was written."""


# How a file registers a kind: with a maker, or as one of the algorithms that mix over a graph.
REGISTRATION = (
    r'registry\.add_algorithm\("(?P<kind>\w+)".*?make_unique<(?P<class>\w+)>.*?\}\);'
    r'|add_mixing_algorithm<(?P<mixing>\w+)>\(registry, "(?P<mixed>\w+)"\);'
)


def registrations(text):
    """kind -> (its class, the statement that registers it)"""
    return {
        match["kind"] or match["mixed"]: (match["class"] or match["mixing"], match[0])
        for match in re.finditer(REGISTRATION, text, re.DOTALL)
    }


def kinds(root):
    """The algorithms of the tree: kind -> its .cpp file, by the convention algorithms/<family>/<kind>.cpp."""
    return {
        path.stem: path
        for path in sorted((root / "algorithms").glob("*/*.cpp"))
        if path.stem in registrations(path.read_text())
    }


def class_name(name):
    """cross_entropy -> CrossEntropy"""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def class_of(text, kind):
    known = registrations(text)
    if kind not in known:
        raise Refused(f'cannot find the class that "{kind}" registers')
    return known[kind][0]


def renamed(text, kind, old_class, name):
    """The source under its new name: kind, class, registration and own header; prose is left to its author.

    Siblings that the file registers too stay as classes to derive from, but are registered once only: there.
    """
    for other, (_, statement) in registrations(text).items():
        if other != kind:
            text = text.replace(f"  {statement}\n", "")
    text = text.replace(f'"{kind}"', f'"{name}"')
    text = re.sub(rf"\bregister_{kind}\b", f"register_{name}", text)
    prose_or_class = rf'//[^\n]*|"(?:\\.|[^"\\\n])*"|\b({old_class})\b'
    text = re.sub(prose_or_class, lambda match: class_name(name) if match[1] else match[0], text)
    text = re.sub(rf'(#include "algorithms/\w+/){kind}\.hpp"', rf'\g<1>{name}.hpp"', text)
    return re.sub(r'(\.title = ")', rf"\g<1>{name}, from: ", text, count=1)


def with_note(text, name, kind):
    """The text that opens with the paper's equations, with a word on where it came from."""
    return f"// {name}: a copy of {kind} to start from. Say here what differs, with its paper and equations.\n//\n{text}"


def without_comments(text):
    """JSON with // comments as plain JSON."""
    return re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda match: match[1] or "", text)


def options_of(root, kind):
    """The algorithm's block in quickstart.json, for the options that it cannot do without."""
    path = root / "configs" / "quickstart.json"
    blocks = json.loads(without_comments(path.read_text())).get("algorithms", []) if path.is_file() else []
    block = next((block for block in blocks if block.get("kind") == kind), {"kind": kind})
    return {key: value for key, value in block.items() if key != "label"}


def config_text(root, name, kind):
    """A small race of the two on the shipped digits: a second of work, the same options."""
    block = options_of(root, kind)
    config = {
        "name": name,
        "cluster": {
            "speeds": [1, 0.8, 0.6, 0.5],
            "link": {"bandwidth": "1 Gbit/s"},
            "servers": {"update_time": "0 s"},
            "network": {"contention": False},
        },
        "task": {
            "data": "digits",
            "partition": {"kind": "iid"},
            "model": {"kind": "mlp", "hidden": [32]},
            "batch_size": 16,
        },
        "workload": {"reference_batch": 16, "step_time": "10 ms"},
        "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
        "algorithms": [block, {**block, "kind": name}],
        "target": {"metric": "validation_accuracy", "at_least": [0.9]},
        "stop": {"time": "20 s"},
        "evaluate": {"every": "500 ms"},
        "seeds": [0],
    }
    return (
        f"// {name} beside {kind}, from which it was copied: until one of them changes, they run alike.\n"
        + pretty(config)
    )


def pretty(config):
    """One line a member: how the shipped configs look."""
    lines = []
    for key, value in config.items():
        if key == "algorithms":
            blocks = ",\n".join(f"    {json.dumps(block)}" for block in value)
            lines.append(f'  "algorithms": [\n{blocks}\n  ]')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def with_line(text, line, pattern):
    """Adds a line to the sorted block of lines that match `pattern`."""
    lines = text.splitlines()
    places = [i for i, old in enumerate(lines) if re.match(pattern, old)]
    if not places:
        raise Refused(f'finds no line like "{line.strip()}" to add one to')
    after = [i for i in places if lines[i] < line]
    lines.insert(after[-1] + 1 if after else places[0], line)
    return "\n".join(lines) + "\n"


def from_template(template, **values):
    text = (TEMPLATES / template).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def tree_files(root, name, kind, source):
    """path -> content of what a new algorithm of the tree needs."""
    text = source.read_text()
    header = source.with_suffix(".hpp")
    old_class = class_of(text, kind)
    files = {}
    for path in filter(Path.is_file, (header, source)):
        content = renamed(path.read_text(), kind, old_class, name)
        first = path == header or not header.is_file()
        files[path.with_stem(name)] = with_note(content, name, kind) if first else content
    declaration, call = root / "algorithms/all.hpp", root / "algorithms/all.cpp"
    files[declaration] = with_line(
        declaration.read_text(),
        f"void register_{name}(Registry& registry);",
        r"void register_(?!algorithms)\w+\(Registry& registry\);",
    )
    files[call] = with_line(call.read_text(), f"  register_{name}(registry);", r"  register_\w+\(registry\);")
    files[root / f"tests/algorithms/{name}_test.cpp"] = from_template(
        "algorithm_test.cpp", NAME=name, FROM=kind
    )
    files[root / f"configs/{name}.json"] = config_text(root, name, kind)
    return files


def plugin_files(root, folder, name, kind, source):
    """path -> content of a plug-in: one source file, its build, config and test."""
    text = source.read_text()
    header = source.with_suffix(".hpp")
    old_class = class_of(text, kind)
    body = header.read_text() + "\n" + text if header.is_file() else text
    body = renamed(body, kind, old_class, name)
    body = re.sub(r'#pragma once\n+|#include "algorithms/[^"]*"\n', "", body)
    body = re.sub(rf"void register_{name}\(.*?\n}}\n+", "", body, flags=re.DOTALL)
    includes = sorted(
        set(re.findall(r"#include <[^>]+>\n", body))
        | {"#include <memory>\n", "#include <stdexcept>\n", "#include <string>\n"}
    )
    own = sorted(set(re.findall(r'#include "[^"]+"\n', body)) | {'#include "training/algorithm.hpp"\n'})
    body = re.sub(r'#include [<"][^>"]+[>"]\n', "", body)
    opening, code = re.match(r"((?:\s*//[^\n]*\n)*)(.*)", body, re.DOTALL).groups()
    body = opening + "".join(includes) + "\n" + "".join(own) + "\n" + re.sub(r"\n{3,}", "\n\n", code).lstrip()
    body = body.replace("}  // namespace convoy\n\nnamespace convoy {\n\n", "")
    registration = from_template("plugin_registration.cpp", NAME=name, CLASS=class_name(name))
    values = {"NAME": name, "FROM": kind, "CONVOY": str(root)}
    return {
        folder / f"{name}.cpp": with_note(body, name, kind).rstrip() + "\n\n" + registration,
        folder / "CMakeLists.txt": from_template("plugin_CMakeLists.txt", **values),
        folder / f"{name}_test.py": from_template("plugin_test.py", **values),
        folder / f"{name}.json": config_text(root, name, kind),
    }


def check_names(name, kind, known):
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(
            f'"{name}" is no name for an algorithm: lower case, digits and single underscores, a letter first'
        )
    if kind not in known:
        near = difflib.get_close_matches(kind, known, 1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        raise Refused(f'there is no algorithm "{kind}"{hint} (there are: {", ".join(known)})')
    if name in known:
        raise Refused(
            f'there is an algorithm "{name}" already: {known[name].relative_to(known[name].parents[2])}'
        )


def main():
    parser = argparse.ArgumentParser(
        prog="new_algorithm.sh", description="Starts an algorithm from an existing one."
    )
    parser.add_argument("name", help="the new algorithm's kind, as configs will name it")
    parser.add_argument(
        "--from", dest="kind", required=True, metavar="KIND", help="the algorithm to start from"
    )
    parser.add_argument("--plugin", action="store_true", help="a plug-in outside the tree")
    parser.add_argument("--into", type=Path, metavar="DIR", help="the plug-in's folder (default: ./NAME)")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into and not options.plugin:
        parser.error("--into goes with --plugin")
    root = options.root.resolve()
    try:
        known = kinds(root)
        check_names(options.name, options.kind, known)
        source = known[options.kind]
        lists = {root / "algorithms/all.hpp", root / "algorithms/all.cpp"}
        if options.plugin:
            folder = (options.into or Path(options.name)).resolve()
            files = plugin_files(root, folder, options.name, options.kind, source)
        else:
            files = tree_files(root, options.name, options.kind, source)
        for path in files:
            if path.exists() and path not in lists:
                raise Refused(f"{path} exists already")
    except Refused as error:
        print(f"new_algorithm.sh: {error}", file=sys.stderr)
        return 2
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        changed = "changed" if path.exists() else "wrote"
        path.write_text(content)
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        print(f"{changed} {shown}")
    if options.plugin:
        print(
            f"next: cmake -S {folder} -B {folder}/build && cmake --build {folder}/build && ctest --test-dir {folder}/build"
        )
    else:
        print(f"next: scripts/test.sh algorithms, then build/bin/sim run configs/{options.name}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
