"""How quantities are written: three significant digits, a unit, thousands apart."""
import math

TIME_UNITS = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86400.0),
]
BYTE_UNITS = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15)]
RATE_UNITS = [("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9), ("Tbit/s", 1e12)]
NONE = "–"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def significant(value, digits=3):
    """12.345 -> 12.3, 1234.5 -> 1,234, 0.00012345 -> 0.000123; whole digits are never rounded away."""
    if not is_number(value):
        return NONE
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - magnitude)
    if rounded and math.floor(math.log10(abs(rounded))) > magnitude:  # 9.996 -> 10.0
        magnitude += 1
    if magnitude < -5:
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}"


def count(value):
    return f"{round(value):,}" if is_number(value) else NONE


def time_unit(seconds):
    """The unit in which the middle of some durations reads well: its name and its seconds."""
    values = sorted(value for value in seconds if is_number(value) and value > 0)
    middle = values[len(values) // 2] if values else 2.0
    unit = TIME_UNITS[0]
    for candidate in TIME_UNITS:
        if middle >= (2 if candidate[0] == "d" else 1.5) * candidate[1]:
            unit = candidate
    return unit


def duration(seconds, unit=None, with_unit=True):
    if not is_number(seconds):
        return NONE
    name, size = unit or time_unit([seconds])
    return f"{significant(seconds / size)} {name}" if with_unit else significant(seconds / size)


def limit(seconds):
    """A round stop time without trailing zeros: 10800 s -> 3 h."""
    name, size = time_unit([seconds])
    return f"{float(f'{seconds / size:.4g}'):g} {name}"


def scaled(value, units):
    if not is_number(value):
        return NONE
    name, size = units[0]
    for candidate in units:
        if abs(value) >= candidate[1]:
            name, size = candidate
    return f"{significant(value / size)} {name}"


def byte_count(value):
    return scaled(value, BYTE_UNITS)


def bandwidth(bytes_per_second):
    return scaled(bytes_per_second * 8, RATE_UNITS) if is_number(bytes_per_second) else NONE


def percent(share):
    if not is_number(share):
        return NONE
    if 0 < share < 0.005:
        return "< 1 %"
    return f"{100 * share:.0f} %"


def money(usd):
    return f"{significant(usd)} USD" if is_number(usd) else NONE


def plural(number, noun):
    """1 run, 2 runs"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def words(name):
    """validation_accuracy -> validation accuracy"""
    return str(name).replace("_", " ")


def target_words(metric, direction, value):
    return f"{words(metric)} {'≤' if direction == 'at_most' else '≥'}\u00a0{value}"


def decimals(value):
    """How many decimals a number was written with: 0.85 -> 2."""
    written = f"{value:.10f}".rstrip("0")
    return len(written) - written.index(".") - 1


def listing(names, at_most=6):
    names = list(names)
    if len(names) > at_most:
        return ", ".join(names[:at_most]) + f" and {len(names) - at_most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
