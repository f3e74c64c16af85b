/* Figures of the report as Vega specifications: one function for each kind of figure, `build(figure, width, dark)` -> {spec, rows}.
 * `rows` is the figure's data, one object a drawn item, also for saving as CSV. Expressions run in Vega's interpreter: nothing here
 * needs eval, so the page can forbid it. */
"use strict";
globalThis.poiseCharts = (() => {
const isNumber = v => typeof v === "number" && Number.isFinite(v);
const trim = v => Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(+v.toPrecision(4));
const formats = {
  percent: v => `${(100 * v).toFixed(1)} %`,
  ratio: v => Math.abs(v) < 10 ? v.toFixed(3) : v.toFixed(1),
  number: trim,
  whole: v => v.toLocaleString("en", { maximumFractionDigits: 0 }).replaceAll(",", "\u2009"),
  text: String,
};
const show = (format, v) => isNumber(v) ? (formats[format] || trim)(v) : "";
const axisFormat = { percent: ".0%", ratio: "~r", number: "~r", whole: "~s" };

/* Okabe and Ito's palette, which all kinds of colour vision tell apart, and four more for the ninth series on; policies have the same colour everywhere. */
const ink = dark => dark
  ? { text: "#e7eaee", muted: "#a3acb7", faint: "#78828d", grid: "#262c34", axis: "#434b55", paper: "#171b21", mid: "#3a424d" }
  : { text: "#15191f", muted: "#5c6570", faint: "#8b949e", grid: "#eceef1", axis: "#c9ced5", paper: "#ffffff", mid: "#dbe0e6" };
const policies = dark => ({ "GTO": dark ? "#8b949e" : "#a3aab3", "SWL": dark ? "#f0b03c" : "#e69f00", "Static-Best": dark ? "#2bc49a" : "#009e73", "Poise": dark ? "#56b4e9" : "#0072b2",
  "paper": dark ? "#a3acb7" : "#6b737d", "ours": dark ? "#56b4e9" : "#0072b2" });
const categorical = dark => dark ? ["#56b4e9", "#f0b03c", "#2bc49a", "#e58ac0", "#e8905a", "#d8cf4a", "#a99be0", "#b0b8c1", "#c99a7b", "#8bd450", "#f06292", "#4dd0e1"] : ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#b3a800", "#6b5ca5", "#7a838d", "#8c4f2b", "#4b8b00", "#ad1457", "#00838f"];
const causes = dark => dark ? ["#4a535e", "#56b4e9", "#2b6fa0", "#e8905a", "#f0b03c", "#d8cf4a", "#e58ac0", "#2bc49a", "#2a3038"] : ["#c3c9d0", "#0072b2", "#7cc3ea", "#d55e00", "#f0b64a", "#e8dd5b", "#cc79a7", "#009e73", "#eceef1"];
const steps = dark => dark ? ["#24405c", "#2d5f8b", "#3a83bd", "#6cb6ff", "#f0b03c"] : ["#d6e6f4", "#9ecae1", "#5ba3cf", "#1f6fb2", "#e69f00"];
const below = dark => dark ? ["#3a424d", "#8f5f30", "#f2a65a"] : ["#dbe0e6", "#e3a768", "#a8500a"];
const above = dark => dark ? ["#3a424d", "#27658f", "#3d9bd9", "#b5e2ff"] : ["#dbe0e6", "#9ccae6", "#3c8fc7", "#084a87", "#04264a"];
const colourOf = (names, dark) => {
  const known = policies(dark), others = categorical(dark);
  const free = names.some(n => known[n]) ? others.filter(c => !names.some(n => known[n] === c)) : others;
  let next = 0;
  return names.map(n => known[n] || free[next++ % free.length]);
};

const font = "Inter, \"Source Sans 3\", system-ui, \"Segoe UI\", \"Noto Sans\", \"Liberation Sans\", sans-serif";
const config = dark => {
  const c = ink(dark);
  return {
    font, aria: false, background: null,
    axis: { domainColor: c.axis, tickColor: c.axis, gridColor: c.grid, labelColor: c.muted, titleColor: c.muted, labelFontSize: 11, titleFontSize: 11.5, titleFontWeight: 500,
      tickSize: 4, labelPadding: 4, titlePadding: 8, labelFont: font, titleFont: font },
    legend: { labelColor: c.muted, titleColor: c.muted, labelFontSize: 11.5, labelFont: font, symbolSize: 90, rowPadding: 4, columnPadding: 14, labelLimit: 200 },
  };
};
const base = (width, height, dark, more) => ({ width, height, autosize: { type: "pad", resize: false }, padding: { left: 2, right: 6, top: 4, bottom: 2 }, config: config(dark), ...more });
const field = name => ({ field: name });
const legend = (scale, names, width, extra = {}) => names.length < 2 ? [] :
  [{ fill: scale, orient: "top", direction: "horizontal", columns: Math.max(1, Math.min(names.length, Math.floor(width / (26 + 7 * Math.max(...names.map(n => n.length)))))), symbolType: "square", offset: 8, ...extra }];
const rule = (scale, value, size, dark) => ({ type: "rule", interactive: false, encode: { update: { [scale]: { scale, value }, ...(scale === "y" ? { x: { value: 0 }, x2: { value: size } } : { y: { value: 0 }, y2: { value: size } }),
  stroke: { value: ink(dark).faint }, strokeWidth: { value: 1 }, strokeDash: { value: [4, 3] } } } });

/* ---- bars: groups of categories ---- */
function bars(f, boxWidth, dark) {
  const names = f.series.map(s => s.name), format = f.y.format, n = f.categories.length, apart = f.apart || 0;
  const gap = "\u2003"; /* between benchmarks and means */
  const categories = apart && n > apart ? [...f.categories.slice(0, n - apart), gap, ...f.categories.slice(n - apart)] : f.categories;
  const width = Math.max(boxWidth - 66, categories.length * Math.max(16, names.length * 4 + 6)), height = 230;
  const rows = f.series.flatMap(s => s.values.map((v, i) => ({ category: f.categories[i], series: s.name, value: v })).filter(r => isNumber(r.value)))
    .map(r => ({ ...r, tip: { title: `${r.category} \u00b7 ${r.series}`, rows: [[f.y.label, show(format, r.value)]] } }));
  const steep = width / categories.length < 6.6 * Math.max(...categories.flatMap(c => c.split(", ")).map(c => c.length), 1);
  const values = rows.map(r => r.value), top = Math.max(...values, f.reference || 0, 0), bottom = Math.min(...values, 0);
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }],
    scales: [
      { name: "x", type: "band", domain: categories, range: "width", paddingInner: 0.22, paddingOuter: 0.1 },
      { name: "inner", type: "band", domain: names, range: [0, { signal: "bandwidth('x')" }], paddingInner: 0.06 },
      { name: "y", type: "linear", domain: [bottom, top], range: "height", nice: true, zero: true },
      { name: "colour", type: "ordinal", domain: names, range: colourOf(names, dark) },
    ],
    axes: [
      { orient: "left", scale: "y", grid: true, format: axisFormat[format], title: f.y.label, domain: false, ticks: false, tickCount: 5 },
      { orient: "bottom", scale: "x", ticks: false, labelAngle: steep ? -40 : 0, labelAlign: steep ? "right" : "center", labelBaseline: steep ? "middle" : "top", labelLimit: 120,
        ...(steep ? {} : { encode: { labels: { update: { text: { signal: "split(datum.value, ', ')" } } } } }) },
    ],
    legends: legend("colour", names, Math.min(width, boxWidth - 40)),
    marks: [
      { type: "rect", from: { data: "rows" }, encode: {
        update: { x: { scale: "x", field: "category", offset: { scale: "inner", field: "series" } }, width: { scale: "inner", band: 1 }, y: { scale: "y", field: "value" }, y2: { scale: "y", value: 0 },
          fill: { scale: "colour", field: "series" }, cornerRadiusTopLeft: { value: 1.5 }, cornerRadiusTopRight: { value: 1.5 }, tooltip: field("tip"), fillOpacity: { value: 1 } },
        hover: { fillOpacity: { value: 0.75 } } } },
      ...(isNumber(f.reference) ? [rule("y", f.reference, width, dark)] : []),
    ] }) };
}

/* ---- stacks: shares, one row a category ---- */
function stack(f, boxWidth, dark) {
  const c = ink(dark), names = f.series.map(s => s.name), within = f.within || [];
  const left = 14 + 6.6 * Math.max(...within.map(w => w.length), 0) + 6.8 * Math.max(...f.categories.map(x => x.length), 4);
  const width = Math.max(160, boxWidth - left - 30), rowHeight = 14, groupGap = 8;
  const rows = [], labels = [];
  let y = 0;
  f.categories.forEach((category, i) => {
    const isFirst = i === 0 || f.categories[i - 1] !== category;
    if (isFirst && i) y += groupGap;
    labels.push({ y: y + rowHeight / 2, group: isFirst ? category : "", label: within[i] || "" });
    let from = 0;
    for (const s of f.series) {
      const v = s.values[i];
      if (!isNumber(v)) continue;
      rows.push({ category, within: within[i] || "", part: s.name, share: v, _y: y, _from: from, _to: from + v, tip: { title: `${category}${within[i] ? " \u00b7 " + within[i] : ""}`, rows: [[s.name, show(f.y.format, v)]] } });
      from += v;
    }
    y += rowHeight + 2;
  });
  const palette = f.palette === "causes" ? causes(dark) : f.palette === "steps" ? steps(dark) : categorical(dark);
  return { rows, spec: base(width, y, dark, {
    data: [{ name: "rows", values: rows }, { name: "labels", values: labels }],
    scales: [{ name: "x", type: "linear", domain: [0, 1], range: "width" }, { name: "colour", type: "ordinal", domain: names, range: palette }],
    axes: [{ orient: "bottom", scale: "x", format: ".0%", tickCount: width < 260 ? 3 : 5, domain: false, grid: false }],
    legends: legend("colour", names, boxWidth - 40),
    marks: [
      { type: "rect", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "_from" }, x2: { scale: "x", field: "_to" }, y: field("_y"), height: { value: rowHeight },
        fill: { scale: "colour", field: "part" }, stroke: { value: c.paper }, strokeWidth: { value: 0.6 }, tooltip: field("tip"), fillOpacity: { value: 1 } }, hover: { fillOpacity: { value: 0.75 } } } },
      { type: "text", from: { data: "labels" }, interactive: false, encode: { update: { x: { value: -8 }, y: field("y"), text: field("label"), align: { value: "right" }, baseline: { value: "middle" }, fontSize: { value: 11 }, fill: { value: c.muted } } } },
      { type: "text", from: { data: "labels" }, interactive: false, encode: { update: { x: { value: -left + 6 }, y: field("y"), text: field("group"), align: { value: "left" }, baseline: { value: "middle" }, fontSize: { value: 11.5 }, fontWeight: { value: 600 }, fill: { value: c.text } } } },
    ] }) };
}

/* ---- points: values with intervals, or pairs ---- */
function points(f, boxWidth, dark) {
  const c = ink(dark), names = f.series.map(s => s.name), n = f.labels.length, format = f.y.format, limit = Math.min(240, boxWidth * 0.42);
  const rowHeight = 22, left = Math.min(limit, 6.4 * Math.max(...f.labels.map(l => l.length), 3) + 12), width = Math.max(120, boxWidth - left - 26), height = n * rowHeight;
  const many = names.length > 1 && !f.connect;
  const rows = f.series.flatMap((s, k) => s.values.map((v, i) => {
    const low = s.low ? s.low[i] : null, high = s.high ? s.high[i] : null;
    return { label: f.labels[i], series: s.name, value: v, low: isNumber(low) ? low : null, high: isNumber(high) ? high : null, _y: (i + 0.5) * rowHeight + (many ? (k - (names.length - 1) / 2) * 6 : 0) };
  })).filter(r => isNumber(r.value)).map(r => ({ ...r, tip: { title: r.label, rows: [[r.series, show(format, r.value)], ...(isNumber(r.low) ? [["interval", `${show(format, r.low)} to ${show(format, r.high)}`]] : [])] } }));
  const pairs = f.connect ? f.labels.map((label, i) => ({ _y: (i + 0.5) * rowHeight, a: f.series[0].values[i], b: f.series[1].values[i] })).filter(r => isNumber(r.a) && isNumber(r.b)) : [];
  const extent = rows.flatMap(r => [r.value, r.low, r.high]).filter(isNumber).concat(isNumber(f.reference) ? [f.reference] : []);
  const isAll = f.zero !== false && extent.every(v => v >= 0);
  const hollow = names.map(name => name === "paper" ? c.paper : null);
  const colours = colourOf(names, dark);
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }, { name: "pairs", values: pairs }, { name: "lines", values: f.labels.map((label, i) => ({ label, y: (i + 0.5) * rowHeight })) }],
    scales: [{ name: "x", type: "linear", domain: [isAll ? 0 : Math.min(...extent), Math.max(...extent)], range: "width", nice: true, zero: false },
      { name: "colour", type: "ordinal", domain: names, range: colours }, { name: "hollow", type: "ordinal", domain: names, range: hollow.map((h, i) => h || colours[i]) }],
    axes: [{ orient: "bottom", scale: "x", grid: true, format: axisFormat[format], title: f.y.label, domain: false, tickCount: Math.max(3, Math.floor(width / 70)) }],
    legends: legend("hollow", names, boxWidth - 40, { symbolType: "circle", stroke: "colour", symbolStrokeWidth: 1.8 }),
    marks: [
      { type: "rule", from: { data: "lines" }, interactive: false, encode: { update: { x: { value: 0 }, x2: { value: width }, y: field("y"), stroke: { value: c.grid } } } },
      { type: "text", from: { data: "lines" }, encode: { update: { x: { value: -10 }, y: field("y"), text: field("label"), align: { value: "right" }, baseline: { value: "middle" }, limit: { value: limit - 14 },
        fontSize: { value: 11.5 }, fill: { value: c.text }, tooltip: { signal: "{title: datum.label}" } } } },
      ...(isNumber(f.reference) ? [rule("x", f.reference, height, dark)] : []),
      { type: "rule", from: { data: "pairs" }, interactive: false, encode: { update: { x: { scale: "x", field: "a" }, x2: { scale: "x", field: "b" }, y: field("_y"), stroke: { value: c.axis }, strokeWidth: { value: 2.5 } } } },
      { type: "rule", from: { data: "rows" }, encode: { update: { x: { signal: "scale('x', datum.low == null ? datum.value : datum.low)" }, x2: { signal: "scale('x', datum.high == null ? datum.value : datum.high)" }, y: field("_y"),
        stroke: { scale: "colour", field: "series" }, strokeWidth: { value: 2 }, strokeCap: { value: "round" }, strokeOpacity: { value: 0.6 }, tooltip: field("tip") } } },
      { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "value" }, y: field("_y"), size: { value: 62 }, fill: { scale: "hollow", field: "series" }, stroke: { scale: "colour", field: "series" }, strokeWidth: { value: 1.8 }, tooltip: field("tip") },
        hover: { size: { value: 110 } }, exit: {} } },
    ] }) };
}

/* ---- scatter ---- */
function scatter(f, boxWidth, dark) {
  const c = ink(dark), groups = [...new Set(f.groups)], few = groups.length <= 8;
  const width = Math.max(120, boxWidth - 74), height = Math.min(290, Math.max(200, width * 0.72));
  const rows = f.px.map((x, i) => ({ x, y: f.py[i], group: f.groups[i], label: f.labels[i] })).filter(r => isNumber(r.x) && isNumber(r.y) && (!f.is_log || (r.x > 0 && r.y > 0)))
    .map(r => ({ ...r, tip: { title: [r.group, r.label].filter(Boolean).join(" \u00b7 "), rows: [[f.x.label, show(f.x.format, r.x)], [f.y.label, show(f.y.format, r.y)]] } }));
  const xs = rows.map(r => r.x), ys = rows.map(r => r.y).concat(isNumber(f.reference) ? [f.reference] : []);
  const both = [...xs, ...ys], domain = values => values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const x = f.diagonal ? domain(both) : domain(xs), y = f.diagonal ? domain(both) : domain(ys);
  const type = f.is_log ? "log" : "linear", zero = Boolean(f.diagonal && !f.is_log);
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }],
    scales: [{ name: "x", type, domain: x, range: "width", nice: true, ...(f.is_log ? {} : { zero }) }, { name: "y", type, domain: y, range: "height", nice: true, ...(f.is_log ? {} : { zero }) },
      { name: "colour", type: "ordinal", domain: groups, range: few ? categorical(dark) : [categorical(dark)[0]] },
      { name: "shape", type: "ordinal", domain: groups, range: few ? ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "circle", "square"] : ["circle"] }],
    axes: [{ orient: "bottom", scale: "x", grid: true, title: f.x.label, format: axisFormat[f.x.format], tickCount: 6, domain: false },
      { orient: "left", scale: "y", grid: true, title: f.y.label, format: axisFormat[f.y.format], tickCount: 6, domain: false }],
    legends: few && groups.length > 1 ? [{ fill: "colour", shape: "shape", orient: "top", direction: "horizontal", columns: Math.max(1, Math.floor(width / 110)) }] : [],
    marks: [
      ...(f.diagonal ? [{ type: "rule", interactive: false, encode: { update: { x: { signal: "range('x')[0]" }, x2: { signal: "range('x')[1]" }, y: { signal: "scale('y', invert('x', range('x')[0]))" }, y2: { signal: "scale('y', invert('x', range('x')[1]))" },
        stroke: { value: c.faint }, strokeDash: { value: [4, 3] } } } }] : []),
      ...(isNumber(f.reference) ? [rule("y", f.reference, width, dark)] : []),
      { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "y" }, size: { value: 52 }, shape: { scale: "shape", field: "group" }, fill: { scale: "colour", field: "group" }, fillOpacity: { value: 0.75 },
        stroke: { value: c.paper }, strokeWidth: { value: 0.6 }, tooltip: field("tip") }, hover: { fillOpacity: { value: 1 }, size: { value: 110 } } } },
    ] }) };
}

/* ---- curves ---- */
function line(f, boxWidth, dark) {
  const names = f.series.map(s => s.name), width = Math.max(120, boxWidth - 74), height = 220, colours = colourOf(names, dark);
  const rows = f.series.flatMap(s => s.x.map((x, i) => ({ series: s.name, x, y: s.values[i] }))).filter(r => isNumber(r.x) && isNumber(r.y))
    .map(r => ({ ...r, tip: { title: r.series, rows: [[f.x.label, show(f.x.format, r.x)], [f.y.label, show(f.y.format, r.y)]] } }));
  const xs = rows.map(r => r.x), ys = rows.map(r => r.y);
  const marks = f.series.flatMap((s, i) => {
    const own = { name: `rows${i}`, encode: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "y" } } };
    const path = { type: "line", from: { data: own.name }, interactive: false, encode: { update: { ...own.encode, stroke: { value: colours[i] }, strokeWidth: { value: 2 }, interpolate: { value: s.is_step ? "step-after" : "linear" } } } };
    const dots = { type: "symbol", from: { data: own.name }, encode: { update: { ...own.encode, size: { value: s.is_dots ? 34 : 26 }, fill: { value: colours[i] }, fillOpacity: { value: s.is_dots ? 0.6 : 1 }, tooltip: field("tip") }, hover: { size: { value: 90 } } } };
    return s.is_dots ? [dots] : s.is_step ? [path] : [path, dots];
  });
  return { rows, spec: base(width, height, dark, {
    data: f.series.map((s, i) => ({ name: `rows${i}`, values: rows.filter(r => r.series === s.name) })),
    scales: [{ name: "x", type: "linear", domain: [Math.min(...xs), Math.max(...xs)], range: "width", zero: false, nice: false, padding: 6 }, { name: "y", type: "linear", domain: [Math.min(...ys, 0), Math.max(...ys)], range: "height", nice: true },
      { name: "colour", type: "ordinal", domain: names, range: colours }],
    axes: [{ orient: "bottom", scale: "x", title: f.x.label, format: axisFormat[f.x.format], tickCount: 6 }, { orient: "left", scale: "y", grid: true, title: f.y.label, format: axisFormat[f.y.format], tickCount: 5, domain: false, ticks: false }],
    legends: legend("colour", names, width), marks }) };
}

/* ---- lines through parallel axes: trials of a tuning ---- */
function parallel(f, boxWidth, dark) {
  const c = ink(dark), palette = categorical(dark), n = f.axes.length, height = 260;
  const looks = { "other trials": { colour: dark ? "#566070" : "#b9c0c8", width: 1, opacity: 0.65 }, "best tenth": { colour: dark ? "#6cb6ff" : "#6bb5e0", width: 1.6, opacity: 0.9 }, "front": { colour: dark ? "#6cb6ff" : "#6bb5e0", width: 1.6, opacity: 0.9 },
    "published": { colour: palette[1], width: 2.2, dash: [6, 3], opacity: 1 }, "default": { colour: palette[2], width: 2.2, dash: [6, 3], opacity: 1 }, "best": { colour: dark ? "#ffffff" : palette[0], width: 3, opacity: 1 } };
  const lastWidth = 8 + 6 * Math.max(1, ...f.axes[n - 1].ticks.map(t => t.text.length)), longest = 6.4 * Math.max(...f.axes.map(a => a.label.length));
  const wanted = Math.max(boxWidth - 30 - lastWidth, n * 62), steep = n > 1 && longest > wanted / (n - 1) - 10;
  const width = Math.max(160, steep ? Math.min(wanted, Math.max(boxWidth - 0.87 * longest - 20, n * 62)) : wanted), x = a => n > 1 ? a * width / (n - 1) : 0, y = at => (1 - at) * height;
  const rows = f.order.flatMap(group => f.groups.map((g, i) => i).filter(i => f.groups[i] === group)).map(i => {
    const row = { trial: f.labels[i], group: f.groups[i] };
    f.axes.forEach((a, k) => { row[a.label] = f.values[i][k]; });
    return { ...row, _i: i, tip: { title: `${f.groups[i]} \u00b7 ${f.labels[i].split(":")[0]}`, rows: f.axes.map((a, k) => [a.label, isNumber(f.values[i][k]) ? trim(f.values[i][k]) : f.values[i][k] ?? "none"]) } };
  });
  const path = i => f.axes.map((a, k) => [x(k), a.places[i]]).reduce((text, [px, at], k, all) => isNumber(at) ? `${text}${k && isNumber(all[k - 1][1]) ? "L" : "M"}${px.toFixed(1)},${y(at).toFixed(1)}` : text, "");
  const lines = rows.map(r => { const look = looks[r.group] || looks["other trials"]; return { path: path(r._i), stroke: look.colour, width: look.width, dash: look.dash || [], opacity: look.opacity, tip: r.tip }; });
  const ticks = f.axes.flatMap((a, k) => a.ticks.map(t => ({ x: x(k), y: y(t.at), text: t.text }))), axes = f.axes.map((a, k) => ({ x: x(k), label: a.label }));
  const text = (more = {}) => ({ type: "text", from: { data: "ticks" }, interactive: false, encode: { update: { x: { field: "x", offset: 5 }, y: field("y"), text: field("text"), baseline: { value: "middle" }, fontSize: { value: 10.5 }, fill: { value: c.text }, ...more } } });
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "lines", values: lines }, { name: "ticks", values: ticks }, { name: "axes", values: axes }],
    scales: [{ name: "colour", type: "ordinal", domain: f.order, range: f.order.map(g => (looks[g] || looks["other trials"]).colour) }],
    legends: legend("colour", f.order, width, { symbolType: "stroke", fill: undefined, stroke: "colour", symbolStrokeWidth: 3, offset: steep ? 26 + longest * 0.5 : 26 }),
    marks: [
      { type: "rule", from: { data: "axes" }, interactive: false, encode: { update: { x: field("x"), y: { value: 0 }, y2: { value: height }, stroke: { value: c.axis }, strokeWidth: { value: 1.4 } } } },
      { type: "text", from: { data: "axes" }, interactive: false, encode: { update: { x: field("x"), y: { value: -12 }, text: field("label"), align: { value: steep ? "left" : "center" }, angle: { value: steep ? -30 : 0 }, baseline: { value: "middle" }, fontSize: { value: 11 }, fontWeight: { value: 600 }, fill: { value: c.text } } } },
      { type: "path", from: { data: "lines" }, encode: { update: { path: field("path"), stroke: field("stroke"), strokeWidth: field("width"), strokeDash: field("dash"), strokeOpacity: field("opacity"), strokeJoin: { value: "round" }, tooltip: field("tip") },
        hover: { strokeOpacity: { value: 1 }, strokeWidth: { value: 3.5 } } } },
      { type: "symbol", from: { data: "ticks" }, interactive: false, encode: { update: { x: field("x"), y: field("y"), shape: { value: "stroke" }, size: { value: 40 }, stroke: { value: c.axis }, strokeWidth: { value: 1.4 } } } },
      text({ stroke: { value: c.paper }, strokeWidth: { value: 3.5 }, strokeJoin: { value: "round" } }), text(),
    ] }) };
}
return { formats, show, isNumber, ink, field, base, legend, rule, below, above, categorical, axisFormat, font, kinds: { bars, stack, points, scatter, line, parallel } };
})();
