// The page's behaviour: which target, metric and algorithms are shown, colours by theme, drawing again on changes.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const state = { rung: report.shown, hidden: new Set(report.hidden), printing: false };

function theme() {
  const style = getComputedStyle(document.documentElement);
  const name = dark.matches && !state.printing ? "dark" : "light";
  const value = (variable) => style.getPropertyValue(variable).trim();
  return {
    ink: value("--ink"),
    soft: value("--soft"),
    line: value("--line"),
    grid: value("--grid"),
    paper: value("--paper"),
    panel: value("--panel"),
    accent: value("--accent"),
    algorithms: report.palette.algorithms[name],
    states: report.palette.states[name],
    dashes: report.palette.dashes,
  };
}

function colour(index, colours = theme()) {
  return colours.algorithms[index % colours.algorithms.length];
}

function dash(index) {
  const dashes = report.palette.dashes;
  return dashes[Math.floor(index / report.palette.algorithms.light.length) % dashes.length];
}

function paint_swatches() {
  const colours = theme();
  for (const swatch of document.querySelectorAll("[data-group]")) {
    swatch.style.setProperty("--colour", colour(Number(swatch.dataset.group), colours));
  }
  for (const swatch of document.querySelectorAll("[data-state]")) {
    swatch.style.setProperty("--colour", colours.states[Number(swatch.dataset.state)]);
  }
}

// A chart is drawn by a function (element width, theme) -> {data, layout}; null draws nothing.
const charts = {
  race: draw_race,
  ladder: draw_ladder,
  curves: draw_curves,
  ledger: draw_ledger,
  workers: draw_workers,
  speeds: draw_speeds,
  staleness: draw_staleness,
};

function draw(name) {
  const element = document.getElementById("chart-" + name);
  if (!element) return;
  const width = state.printing ? 680 : element.clientWidth;
  const chart = charts[name](width, theme());
  chart.layout.width = width;
  Plotly.react(element, chart.data, chart.layout, { displayModeBar: false, responsive: false });
}

function draw_all() {
  paint_swatches();
  Object.keys(charts).forEach(draw);
}

function show_rung(index) {
  state.rung = index;
  document.querySelectorAll(".rung").forEach((table, i) => table.classList.toggle("shown", i === index));
  draw("race");
}

function toggle_group(index) {
  if (state.hidden.has(index)) state.hidden.delete(index);
  else state.hidden.add(index);
  for (const button of document.querySelectorAll(`button[data-group="${index}"]`)) {
    button.setAttribute("aria-pressed", String(!state.hidden.has(index)));
  }
  ["curves", "ladder", "staleness"].forEach(draw);
}

function make_keys() {
  for (const list of document.querySelectorAll("ul.key[data-groups]")) {
    for (const index of JSON.parse(list.dataset.groups)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.group = index;
      button.setAttribute("aria-pressed", String(!state.hidden.has(index)));
      button.title = "show or hide in the curves";
      const stroke = document.createElement("span");
      stroke.className = "stroke " + dash(index);
      button.append(stroke, report.groups[index].label);
      button.addEventListener("click", () => toggle_group(index));
      const item = document.createElement("li");
      item.append(button);
      list.append(item);
    }
  }
}

function start() {
  document.documentElement.classList.add("js");
  make_keys();
  for (const radio of document.querySelectorAll("input[name=rung]")) {
    radio.checked = Number(radio.value) === state.rung;
    radio.addEventListener("change", () => show_rung(Number(radio.value)));
  }
  for (const [id, chart] of [
    ["metric", "curves"],
    ["abscissa", "curves"],
    ["log", "curves"],
    ["worker-group", "workers"],
  ]) {
    const choice = document.getElementById(id);
    if (choice) choice.addEventListener("change", () => draw(chart));
  }
  const log = document.getElementById("log");
  if (log) log.checked = report.log_time;
  show_rung(state.rung);
  draw_all();
  dark.addEventListener("change", draw_all);
  let width = innerWidth;
  let later = 0;
  addEventListener("resize", () => {
    if (innerWidth === width || state.printing) return; // a phone's address bar changes the height only
    width = innerWidth;
    clearTimeout(later);
    later = setTimeout(draw_all, 120);
  });
  addEventListener("beforeprint", () => {
    state.printing = true;
    draw_all();
  });
  addEventListener("afterprint", () => {
    state.printing = false;
    draw_all();
  });
  document.documentElement.dataset.drawn = "yes";
}

start();
