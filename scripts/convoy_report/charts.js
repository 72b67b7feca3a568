// The charts: each takes (width in px, theme) and returns Plotly's {data, layout}.
"use strict";

function draw_race(width, colours) {
  const rung = report.rungs[state.rung];
  const [unit, seconds] = rung.unit;
  const data = [];
  const all = [];
  rung.rows.forEach((row, y) => {
    const own = colour(row.group, colours);
    const name = plain(report.groups[row.group].label);
    const at = (time) => {
      all.push(time / seconds);
      return time / seconds;
    };
    if (row.time.low != null && row.time.high != null) {
      data.push({
        x: [at(Math.max(row.time.low, 0)), at(row.time.high)],
        y: [y, y],
        mode: "lines",
        hoverinfo: "skip",
        line: { color: faint(own, 0.45), width: 9 },
      });
    }
    if (row.ideal_s) {
      data.push({
        x: [at(row.ideal_s)],
        y: [y],
        mode: "markers",
        marker: { symbol: "diamond-open", size: 10, color: colours.soft, line: { width: 1.5 } },
        hovertemplate: `${name}<br>ideal: %{x:.3~g} ${unit}<extra></extra>`,
      });
    }
    const reached = row.seeds.filter((seed) => seed.time_s != null);
    data.push({
      x: reached.map((seed) => at(seed.time_s)),
      y: reached.map(() => y),
      mode: "markers",
      customdata: reached.map((seed) => seed.seed),
      marker: { symbol: "circle-open", size: 8, color: own, line: { width: 1.5 } },
      hovertemplate: `${name}<br>seed %{customdata}: %{x:.4~g} ${unit}<extra></extra>`,
    });
    if (row.time.mean != null) {
      data.push({
        x: [at(row.time.mean)],
        y: [y],
        mode: "markers",
        marker: { size: 12, color: own, line: { color: colours.paper, width: 1.5 } },
        hovertemplate: `${name}<br>mean: %{x:.4~g} ${unit}<extra></extra>`,
      });
    }
    const missed = row.seeds.filter((seed) => seed.time_s == null && seed.end_s != null);
    if (missed.length) {
      const last = Math.max(...missed.map((seed) => seed.end_s));
      data.push({
        x: [at(last)],
        y: [y],
        mode: "markers+text",
        text: [reached.length ? "" : plain(row.missed) + "  "],
        textposition: "middle left",
        textfont: { color: colours.soft },
        marker: { symbol: "triangle-right-open", size: 11, color: own, line: { width: 1.5 } },
        hovertemplate: `${name}<br>${missed.length} of ${row.seeds.length} ${plain(row.missed)}<extra></extra>`,
      });
    }
  });
  const positive = all.filter((value) => value > 0);
  const low = Math.min(...positive, Infinity) === Infinity ? 1 : Math.min(...positive);
  const high = Math.max(...positive, low);
  const logarithmic = high > 12 * low;
  const scale = logarithmic
    ? log_axis(low / 1.25, high * 1.12, width)
    : { range: [0, high * 1.05], rangemode: "tozero" };
  const title = `${rung.value == null ? "virtual time" : report.time_title} (${unit}${logarithmic ? ", logarithmic" : ""})`;
  return {
    data,
    layout: frame(width, colours, {
      height: 74 + (width < 560 ? 38 : 34) * rung.rows.length,
      xaxis: { ...scale, title: { text: title } },
      yaxis: name_axis(
        rung.rows.map((row) => report.groups[row.group].label),
        width,
        rung.rows.map(some_seeds),
      ),
    }),
  };
}

// What stands under a name when only some seeds reached the target.
function some_seeds(row) {
  const reached = row.seeds.filter((seed) => seed.time_s != null).length;
  return reached && reached < row.seeds.length ? `${reached} of ${row.seeds.length} seeds` : "";
}

const BOUNDS = { more_than: "triangle-up-open", less_than: "triangle-down-open" };

function draw_ladder(width, colours) {
  const values = report.rungs.map((rung) => rung.value);
  const shown = report.ladder.filter((line) => !state.hidden.has(line.group));
  const data = shown.flatMap((line, i) => {
    // side by side, so that the intervals do not hide each other
    const shift = shown.length > 1 ? (i / (shown.length - 1) - 0.5) * 0.3 : 0;
    const own = colour(line.group, colours);
    const name = plain(report.groups[line.group].label);
    const measured = line.points.filter((point) => !point.bound);
    const bounds = line.points.filter((point) => point.bound);
    return [
      {
        x: measured.map((point) => point.rung + shift),
        y: measured.map((point) => point.mean),
        mode: "lines+markers",
        line: { color: own, width: 1.5, dash: dash(line.group) },
        marker: { size: 8, color: own },
        error_y: {
          type: "data",
          symmetric: false,
          color: own,
          thickness: 1.5,
          width: 3,
          array: measured.map((point) => (point.high ?? point.mean) - point.mean),
          arrayminus: measured.map((point) => point.mean - (point.low ?? point.mean)),
        },
        hovertemplate: `${name}<br>%{y:.3~g} × ${plain(report.reference)}<extra></extra>`,
      },
      ...["more_than", "less_than"].map((side) => ({
        x: bounds.filter((point) => point.bound === side).map((point) => point.rung + shift),
        y: bounds.filter((point) => point.bound === side).map((point) => point.mean),
        mode: "markers",
        marker: { size: 10, color: own, symbol: BOUNDS[side], line: { width: 1.5 } },
        hovertemplate: `${name}<br>${side.replace("_", " ")} %{y:.3~g} ×<extra></extra>`,
      })),
    ];
  });
  const numbers = report.ladder
    .flatMap((line) => line.points.flatMap((point) => [point.mean, point.low, point.high]))
    .filter((value) => value > 0);
  const low = Math.min(0.8, ...numbers) / 1.15,
    high = Math.max(1.25, ...numbers) * 1.15;
  return {
    data,
    layout: frame(width, colours, {
      height: 340,
      xaxis: {
        tickvals: values.map((_, i) => i),
        ticktext: report.rungs.map((rung) => plain(rung.short)),
        zeroline: false,
        range: [-0.5, values.length - 0.5],
        title: { text: plain(report.target_title) },
      },
      yaxis: { ...log_axis(low, high, 400), title: { text: `times as fast as ${plain(report.reference)}` } },
      shapes: [
        {
          type: "line",
          xref: "paper",
          x0: 0,
          x1: 1,
          y0: 1,
          y1: 1,
          line: { color: colours.soft, width: 1.5 },
        },
      ],
    }),
  };
}

function draw_curves(width, colours) {
  const pick = (id) => document.getElementById(id);
  const metric = report.curves.metrics[pick("metric").selectedIndex];
  const abscissa = report.curves.abscissae[pick("abscissa").selectedIndex];
  const shown = report.curves.curves.filter((curve) => !state.hidden.has(curve.group));
  const pieces = shown.flatMap((curve) => [curve, ...curve.tails]);
  const xs = pieces.flatMap((piece) => piece.x[abscissa.name]);
  const [x_low, x_high] = extent(xs.filter((value) => value > 0));
  const scale = scale_of(abscissa, x_high);
  const scaled = (values) => values.map((value) => (value == null ? null : value / scale.factor));
  const data = [];
  for (const curve of shown) {
    const own = colour(curve.group, colours);
    const name = plain(report.groups[curve.group].label);
    const x = scaled(curve.x[abscissa.name]);
    const y = curve.y[metric.name];
    const there = x.map((_, i) => i).filter((i) => x[i] != null && y.low[i] != null && y.high[i] != null);
    const back = [...there].reverse();
    const line = { color: own, dash: dash(curve.group) };
    data.push({
      x: [...there, ...back].map((i) => x[i]),
      y: [...there.map((i) => y.high[i]), ...back.map((i) => y.low[i])],
      mode: "lines",
      fill: "toself",
      fillcolor: faint(own, 0.2),
      line: { width: 0 },
      hoverinfo: "skip",
    });
    data.push({
      x,
      y: y.mean,
      mode: "lines",
      line: { ...line, width: 2 },
      hovertemplate: `${name}<br>%{y:.4~g} at %{x:.4~g}<extra></extra>`,
    });
    for (const tail of curve.tails) {
      data.push({
        x: scaled(tail.x[abscissa.name]),
        y: tail.y[metric.name],
        mode: "lines",
        line: { ...line, width: 1 },
        hovertemplate: `${name}, seed ${tail.seed}<br>%{y:.4~g} at %{x:.4~g}<extra></extra>`,
      });
    }
  }
  const layout = frame(width, colours, {
    height: width < 560 ? 360 : 460,
    xaxis: {
      title: { text: scale.title + (pick("log").checked ? ", logarithmic" : "") },
      zeroline: false,
      ...(scale.counts ? { tickformat: "~s" } : {}),
    },
    yaxis: {
      title: { text: metric.unit ? `${metric.title} (${plain(metric.unit)})` : metric.title },
      zeroline: false,
    },
  });
  if (pick("log").checked && x_high > 0) {
    const axis = log_axis(x_low / scale.factor, x_high / scale.factor, width);
    if (scale.counts) {
      delete axis.ticktext;
      delete axis.tickvals;
      axis.nticks = 8;
    }
    Object.assign(layout.xaxis, axis);
  }
  if (metric.name === report.metric && report.curves.range) add_targets(layout, colours);
  return { data, layout };
}

// Dashed lines at the targets, named in the right margin.
function add_targets(layout, colours) {
  const values = report.rungs.map((rung) => rung.value);
  const rising = report.direction !== "at_most";
  const range = report.curves.range;
  layout.yaxis.range = range;
  layout.margin.r = 64;
  layout.shapes = values.map((value) => ({
    type: "line",
    xref: "paper",
    x0: 0,
    x1: 1,
    y0: value,
    y1: value,
    line: { color: colours.ink, width: 1, dash: "dash" },
  }));
  // names at least 16 px apart, pushed away from the middle one
  const per_pixel = (range[1] - range[0]) / (layout.height - layout.margin.t - layout.margin.b - 16);
  const sorted = [...values].sort((a, b) => a - b);
  const places = sorted.map((value) => value / per_pixel);
  const wanted = [...places];
  for (let i = 1; i < places.length; ++i) places[i] = Math.max(places[i], places[i - 1] + 16);
  const shift = places.reduce((sum, place, i) => sum + place - wanted[i], 0) / places.length;
  layout.annotations = sorted.map((value, i) => ({
    xref: "paper",
    x: 1,
    xanchor: "left",
    y: value,
    yshift: places[i] - wanted[i] - shift,
    showarrow: false,
    xshift: 4,
    text: (rising ? "≥ " : "≤ ") + report.rungs.find((rung) => rung.value === value).short,
    font: { color: colours.ink },
  }));
}

// Stacked bars of the ledger's four states; `rows` hold a name and four shares of 1.
function ledger_bars(rows, width, colours, height) {
  const names = ["compute", "communication", "wait", "down"];
  const data = names.map((name, i) => ({
    type: "bar",
    orientation: "h",
    name,
    x: rows.map((row) => 100 * row.shares[i]),
    y: rows.map((_, y) => y),
    marker: {
      color: colours.states[i],
      line: { color: colours.ink, width: 0.5 },
      pattern:
        i === 3
          ? { shape: "/", fgcolor: colours.ink, bgcolor: colours.states[3], size: 5, solidity: 0.3 }
          : undefined,
    },
    text: rows.map((row) =>
      row.shares[i] >= (width < 560 ? 0.14 : 0.06) ? `${Math.round(100 * row.shares[i])} %` : "",
    ),
    textposition: "inside",
    insidetextanchor: "middle",
    textangle: 0,
    constraintext: "none",
    textfont: {
      color: i === 0 ? colours.paper : i === 1 ? "#000000" : colours.ink,
      size: width < 560 ? 10.5 : 12,
    },
    customdata: rows.map((row) => plain(row.name)),
    hovertemplate: `%{customdata}<br>${name}: %{x:.3~g} %<extra></extra>`,
  }));
  return {
    data,
    layout: frame(width, colours, {
      height,
      barmode: "stack",
      bargap: 0.25,
      xaxis: { range: [0, 100], title: { text: "share of worker time (%)" }, fixedrange: true },
      yaxis: name_axis(
        rows.map((row) => row.name),
        width,
      ),
    }),
  };
}

function draw_ledger(width, colours) {
  const rows = report.ledger.map((row) => ({ name: report.groups[row.group].label, shares: row.shares }));
  return ledger_bars(rows, width, colours, 74 + (width < 560 ? 38 : 32) * rows.length);
}

function draw_workers(width, colours) {
  const ledger = report.workers[document.getElementById("worker-group").selectedIndex];
  const rows = ledger.workers.map(([name, ...seconds]) => {
    const sum = seconds.reduce((a, b) => a + b, 0) || 1;
    return { name, shares: seconds.map((value) => value / sum) };
  });
  const chart = ledger_bars(rows, width, colours, 74 + Math.min(1400, Math.max(120, 22 * rows.length)));
  if (rows.length > 64) {
    chart.layout.yaxis.tickvals = chart.layout.yaxis.tickvals.filter((i) => i % 16 === 0);
    chart.layout.yaxis.ticktext = chart.layout.yaxis.tickvals.map((i) => plain(rows[i].name));
    chart.layout.bargap = 0;
    for (const trace of chart.data) {
      trace.marker.line.width = 0;
      trace.text = [];
    }
  }
  return chart;
}

function draw_speeds(width, colours) {
  const dots = report.cluster.dots;
  const names = report.cluster.regions.map((region) => region.name);
  const crowded = dots.length > 8 * names.length;
  const place = (i) => (crowded ? (((i * 0.618034) % 1) - 0.5) * 0.6 : 0); // even, the same every time
  const data = [
    {
      x: dots.map((dot) => dot[1]),
      y: dots.map((dot, i) => dot[0] + place(i)),
      mode: "markers",
      marker: {
        size: crowded ? 6 : 12,
        color: faint(colours.ink, 0.55),
        line: { color: colours.paper, width: 1 },
      },
      text: dots.map((dot) => plain(dot[2]) + (dot[3] && dot[3] !== dot[2] ? ` on ${plain(dot[3])}` : "")),
      hovertemplate: "%{text}: %{x:.4~g}<extra></extra>",
    },
  ];
  const high = Math.max(...dots.map((dot) => dot[1]));
  return {
    data,
    layout: frame(width, colours, {
      height: 84 + Math.min(900, 40 * names.length),
      xaxis: { range: [0, high * 1.06], title: { text: "speed (1 = the stated step time)" } },
      yaxis: { ...name_axis(names, width), showgrid: true },
    }),
  };
}

function draw_staleness(width, colours) {
  const shown = report.staleness.filter((row) => row.max > 0 && !state.hidden.has(row.group));
  const data = shown.map((row) => ({
    x: [-0.5, ...row.values.map((value) => value), row.max + 0.5],
    y: [0, ...row.shares.map((share) => 100 * share), 100],
    mode: "lines",
    line: { shape: "hv", color: colour(row.group, colours), width: 2, dash: dash(row.group) },
    hovertemplate: `${plain(report.groups[row.group].label)}<br>%{y:.3~g} % at most %{x}<extra></extra>`,
  }));
  return {
    data,
    layout: frame(width, colours, {
      height: 320,
      xaxis: { title: { text: "staleness (versions behind the one read)" }, zeroline: false },
      yaxis: { range: [0, 102], title: { text: "updates at most so stale (%)" } },
    }),
  };
}
