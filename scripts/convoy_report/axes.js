// What the charts share: units, names, and the look of axes.
"use strict";

const TIME_UNITS = [
  ["ns", 1e-9],
  ["us", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["min", 60],
  ["h", 3600],
  ["d", 86400],
];
const BYTE_UNITS = [
  ["B", 1],
  ["kB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
  ["TB", 1e12],
  ["PB", 1e15],
];
const ENERGY_UNITS = [
  ["J", 1],
  ["kJ", 1e3],
  ["MJ", 1e6],
  ["GJ", 1e9],
];

// Plotly reads a few HTML tags in its texts; names are to be shown as they are.
function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// A name broken into lines of at most `length` characters, at spaces, underscores and brackets.
function wrapped(name, length) {
  const parts = String(name).match(/[^\s_(]+[\s_]?|\(|[\s_]/g) || [String(name)];
  const lines = [""];
  for (const part of parts) {
    const line = lines[lines.length - 1];
    if (line && (line + part).trimEnd().length > length) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => plain(line.trimEnd())).join("<br>");
}

function three_digits(value) {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: 0,
    maximumFractionDigits: Math.min(digits, 12),
  });
}

function best_unit(units, largest) {
  let best = units[0];
  for (const unit of units) if (largest >= 1.5 * unit[1]) best = unit;
  return best;
}

function faint(hex, alpha) {
  const part = (i) => parseInt(hex.slice(i, i + 2), 16);
  return `rgba(${part(1)},${part(3)},${part(5)},${alpha})`;
}

function frame(width, colours, more) {
  const size = width < 560 ? 11.5 : 13;
  const axis = {
    gridcolor: colours.grid,
    linecolor: colours.line,
    zerolinecolor: colours.line,
    automargin: true,
    tickfont: { color: colours.ink },
    title: { font: { color: colours.soft, size }, standoff: 10 },
  };
  const narrow = width < 560;
  const touch = matchMedia("(pointer: coarse)").matches;
  return {
    height: 420,
    margin: { l: 12, r: narrow ? 12 : 24, t: 12, b: 44 },
    font: { family: getComputedStyle(document.body).fontFamily, size, color: colours.ink },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: "closest",
    dragmode: touch ? false : "zoom",
    hoverlabel: { bgcolor: colours.panel, bordercolor: colours.line, font: { color: colours.ink } },
    ...more,
    xaxis: { ...axis, ...more.xaxis, title: { ...axis.title, ...more.xaxis.title } },
    yaxis: { ...axis, ...more.yaxis, title: { ...axis.title, ...more.yaxis.title } },
  };
}

// Ticks of a logarithmic axis at 1, 2 and 5 times the powers of ten (or fewer), written out.
function log_axis(low, high, width) {
  const decades = Math.log10(high / low);
  const dense = width / decades; // px a decade
  const steps = dense < 110 ? [1] : dense < 220 ? [1, 3] : [1, 2, 5];
  const values = [];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); ++power) {
    for (const step of steps) values.push(step * 10 ** power);
  }
  return {
    type: "log",
    tickvals: values,
    ticktext: values.map(three_digits),
    range: [Math.log10(low), Math.log10(high)],
  };
}

// Names down the left side, the first on top; `remarks` stand below them.
function name_axis(names, width, remarks = []) {
  const label = (name, i) => wrapped(name, width < 560 ? 14 : 26) + (remarks[i] ? `<br>${remarks[i]}` : "");
  return {
    tickvals: names.map((_, i) => i),
    ticktext: names.map(label),
    range: [names.length - 0.5, -0.5],
    showgrid: false,
    zeroline: false,
    fixedrange: true,
    ticks: "",
  };
}

// Scales a column to a readable unit: the factor to divide by and the title with the unit.
function scale_of(axis, largest) {
  const units = { s: TIME_UNITS, B: BYTE_UNITS, J: ENERGY_UNITS }[axis.unit];
  if (!units)
    return { factor: 1, title: axis.unit ? `${axis.title} (${axis.unit})` : axis.title, counts: !axis.unit };
  const [unit, factor] = best_unit(units, largest);
  return { factor, title: `${axis.title} (${unit})`, counts: false };
}

function extent(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values)
    if (value != null) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  return [low, high];
}
