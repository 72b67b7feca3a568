#!/usr/bin/python3
"""Checks that the #include lines of the tree follow its layers; prints each line that does not.

usage: include_graph.py [ROOT] [--dot]        exit code: 0 all arrows are allowed, 1 some are not, 2 not a tree

Includes point down only:

    core  <-  hardware, network, learning  <-  training  <-  experiment  <-  cli
                                               training  <-  algorithms, topologies  <-  cli

`--dot` prints the graph of layers as it is, for Graphviz, with the number of include lines on each arrow.
"""
import argparse
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

# layer -> the layers whose headers it may include, besides its own
ALLOWED = {
    "core": set(),
    "hardware": {"core"},
    "network": {"core"},
    "learning": {"core"},
    "training": {"core", "hardware", "network", "learning"},
    "experiment": {"core", "hardware", "network", "learning", "training"},
    "algorithms": {"core", "learning", "training"},
    "topologies": {"core", "hardware", "network", "learning", "training"},
    "cli": {"core", "hardware", "network", "learning", "training", "experiment", "algorithms", "topologies"},
}
SIM_LAYERS = ("core", "hardware", "network", "learning", "training", "experiment", "cli")
TOP_LAYERS = ("algorithms", "topologies")
SUFFIXES = {".hpp", ".cpp", ".h", ".cc", ".inl"}

EVENT_QUEUE = "core/engine.hpp"
LISTS = {"algorithms/all.hpp", "topologies/all.hpp"}  # what links a folder in: only cli may
JSON = re.compile(r"^(nlohmann|rapidjson|simdjson|boost/json|boost/property_tree)(/|\.hpp)")
EIGEN = re.compile(r"^(Eigen|unsupported/Eigen|eigen3)/")
TEST_TOOLS = re.compile(r"^(doctest|benchmark|tests)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


@dataclass(frozen=True)
class Include:
    source: str  # path from the root: sim/core/time.hpp
    line: int
    written: str  # as in the file
    name: str  # from sim/ or the root: core/time.hpp, algorithms/all.hpp, nlohmann/json.hpp
    inside: bool  # whether it names a file of a layer


def layer_of(name):
    """core/time.hpp -> core; None for what is no layer's file."""
    first = name.split("/", 1)[0]
    return first if first in ALLOWED else None


def short_name(path, root):
    """A file's name as includes write it: sim/core/time.hpp -> core/time.hpp."""
    relative = path.relative_to(root).as_posix()
    return relative[4:] if relative.startswith("sim/") else relative


def source_files(root):
    folders = [root / "sim" / layer for layer in SIM_LAYERS] + [root / layer for layer in TOP_LAYERS]
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())


def without_comments(text):
    """Blanks out comments, keeping the lines."""
    text = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def resolve(written, source, root):
    """(name, inside): an include beside its file, below sim/ or below the root is one of ours."""
    for base in (source.parent, root / "sim", root):
        path = (base / written).resolve()
        if path.is_file() and path.is_relative_to(root):
            return short_name(path, root), layer_of(short_name(path, root)) is not None
    return written, layer_of(written) is not None


def read_includes(root):
    for source in source_files(root):
        # a URL's "//" does not stand in an include line, so comments can be taken out first
        for number, line in enumerate(without_comments(source.read_text(errors="replace")).splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                written = match[1] or match[2]
                name, inside = resolve(written, source, root)
                yield Include(source.relative_to(root).as_posix(), number, written, name, inside)


def fault(include):
    """What is wrong with one include line, or None."""
    source = include.source[4:] if include.source.startswith("sim/") else include.source
    layer = layer_of(source)
    importer = source.startswith("topologies/import/")
    if JSON.match(include.name) and layer != "experiment" and not importer:
        return f"{layer} must not know JSON: only experiment and topologies/import read it"
    if TEST_TOOLS.match(include.name):
        return "the product must not include what belongs to tests"
    if include.name in LISTS and layer not in ("cli", layer_of(include.name)):
        return f"only cli may include {include.name}"
    if layer in TOP_LAYERS and not importer and include.name == EVENT_QUEUE:
        return f"{layer} must not know the event queue"
    if not include.inside:
        return None
    target = layer_of(include.name)
    if layer == "cli" and target == "algorithms" and include.name not in LISTS:
        return "cli reaches algorithms through algorithms/all.hpp only"
    if target != layer and target not in ALLOWED[layer]:
        allowed = ", ".join(sorted(ALLOWED[layer])) or "nothing else"
        return f"{layer} must not include {target} (it may include {allowed})"
    return None


def eigen_faults(includes):
    """Algorithms include no Eigen, not even through a header of ours: names the way it comes in."""
    below = defaultdict(list)
    for include in includes:
        source = include.source[4:] if include.source.startswith("sim/") else include.source
        below[source].append(include)
    for start in sorted(name for name in below if layer_of(name) == "algorithms"):
        ways = [(start, None, [])]
        seen = {start}
        while ways:
            name, first, way = ways.pop(0)
            for include in below.get(name, []):
                if EIGEN.match(include.name):
                    chain = " -> ".join(way + [include.written])
                    yield first or include, f"algorithms must not include Eigen (it comes in by {chain})"
                    ways = []
                    break
                if include.inside and include.name not in seen:
                    seen.add(include.name)
                    ways.append((include.name, first or include, way + [include.name]))


def check(root):
    """All forbidden arrows below `root` as lines `file:line: "include": what is wrong`."""
    root = Path(root).resolve()
    includes = list(read_includes(root))
    faults = [(include, fault(include)) for include in includes]
    faults = [(include, wrong) for include, wrong in faults if wrong]
    faults += eigen_faults(includes)
    lines = {f'{include.source}:{include.line}: "{include.written}": {wrong}' for include, wrong in faults}
    return sorted(lines)


def dot(root):
    root = Path(root).resolve()
    arrows = Counter()
    for include in read_includes(root):
        source = layer_of(include.source[4:] if include.source.startswith("sim/") else include.source)
        if include.inside and layer_of(include.name) != source:
            arrows[source, layer_of(include.name)] += 1
    lines = [
        f'  {source} -> {target} [label="{count}"];' for (source, target), count in sorted(arrows.items())
    ]
    return "\n".join(["digraph layers {", "  rankdir=BT;", *lines, "}"])


def main():
    parser = argparse.ArgumentParser(description="Checks the include graph against the layers.")
    parser.add_argument("root", nargs="?", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--dot", action="store_true", help="print the graph of layers for Graphviz")
    options = parser.parse_args()
    if not Path(options.root, "sim").is_dir():
        print(f"include_graph.py: {options.root} has no folder sim/", file=sys.stderr)
        sys.exit(2)
    if options.dot:
        print(dot(options.root))
        return
    faults = check(options.root)
    print("\n".join(faults) if faults else "all includes point down")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
