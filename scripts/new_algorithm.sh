#!/bin/bash
# Starts a new algorithm from one that exists: everything that it needs, and passing at once. Then make it differ.
#
#   scripts/new_algorithm.sh NAME --from KIND              into the tree: algorithms/<family>/NAME.cpp, its registration,
#                                                          tests/algorithms/NAME_test.cpp, configs/NAME.json
#   scripts/new_algorithm.sh NAME --from KIND --plugin     a plug-in in ./NAME (or --into DIR), outside the tree: source,
#                                                          CMakeLists.txt, config and test
#
# NAME is the algorithm's kind in configs: lower case, digits and underscores.
# Exit code: 0 written, 2 the command line is wrong or something is in the way (nothing is written then).
exec /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/new_algorithm.py" "$@"
