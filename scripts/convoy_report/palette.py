"""Colours: Okabe and Ito's eight (2008), distinct under the common colour-vision deficiencies.

The n-th algorithm of the experiment has the n-th colour wherever it appears; from the ninth on the colours repeat
with another dash. Black and yellow come last: each vanishes on one of the two backgrounds and is shifted there.
"""

ALGORITHMS_LIGHT = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000", "#B5A400"]
ALGORITHMS_DARK = ["#3A97D4", "#E8722A", "#12B386", "#E69F00", "#8ACBF2", "#D68FB6", "#EDEDED", "#F0E442"]
DASHES = ["solid", "dash", "dot", "dashdot"]

# The ledger's four states, from useful to idle: greys, so that they are never taken for an algorithm.
STATES = ["compute", "communication", "wait", "down"]
STATES_LIGHT = ["#3B4656", "#8494AA", "#CBD4E0", "#FFFFFF"]
STATES_DARK = ["#D3DCE9", "#8C9AB0", "#4C586B", "#171B21"]


def colour(index):
    return ALGORITHMS_LIGHT[index % len(ALGORITHMS_LIGHT)]


def dash(index):
    return DASHES[index // len(ALGORITHMS_LIGHT) % len(DASHES)]
