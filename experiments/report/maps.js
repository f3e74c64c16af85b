/* Figures by colour (warp-tuple maps, matrices), rootograms, and the way from a figure to a Vega view. */
"use strict";
(() => {
const { show, isNumber, ink, field, base, rule, below, above, categorical, axisFormat, kinds } = poiseCharts;

/* Marks of a map: outlines that go round a cell, so that its colour stays to be seen. `path(r, q)` encloses a cell of half the width r whose
 * corners are q away from its middle; each has its own distance, so that those that coincide are all seen. */
const marks = {
  static_best: { title: "Static-Best", path: (r, q) => { const o = q + 1.5; return `M${o},0A${o},${o} 0 1 1 ${-o},0A${o},${o} 0 1 1 ${o},0Z`; } },
  target: { title: "Target", path: r => { const o = r + 3.5; return `M${-o},${-o}H${o}V${o}H${-o}Z`; } },
  corrected: { title: "Corrected", path: r => { const o = r + 1.5; return `M0,${-2 * o}L${1.73 * o},${o}L${-1.73 * o},${o}Z`; } },
  predicted: { title: "Prediction", path: (r, q) => {
    const near = r < 3 ? 0.5 : 0.71 * q + 0.5, far = near + 5;
    return [[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([x, y]) => `M${x * near},${y * near}L${x * far},${y * far}`).join("");
  } },
};
const order = Object.keys(marks);

/* ---- heat: cells of the (N, p) plane ---- */

/* Where a value lies on an axis. Without `ticks` the axis has a place for every number 1 .. W; with them it has one for each value that was
 * simulated, evenly spaced, and what lies between two of them goes between their places. */
function placeOf(ticks) {
  if (!ticks) return v => v;
  return v => {
    const above = ticks.findIndex(t => t >= v);
    if (above < 0) return ticks.length;
    if (ticks[above] === v || above === 0) return above + 1;
    return above + (v - ticks[above - 1]) / (ticks[above] - ticks[above - 1]);
  };
}
function heat(f, boxWidth, dark) {
  const c = ink(dark), W = Math.max(f.W || 0, ...f.x, ...f.y), width = Math.min(Math.max(150, boxWidth - 54), 460), height = width;
  const isSparse = Boolean(f.xticks), placeX = placeOf(f.xticks), placeY = placeOf(f.yticks);
  const columns = isSparse ? f.xticks.length : W, lines = isSparse ? f.yticks.length : W, cell = width / Math.max(columns, lines);
  const format = f.value.format, middle = f.middle || 1;
  const values = f.v.filter(isNumber), high = Math.max(...values, middle * 1.001), low = Math.min(...values, middle);
  const shade = v => v >= middle ? Math.log(v / middle) / Math.log(high / middle) : -Math.log(v / middle) / Math.log(low / middle);
  const rows = f.x.map((x, i) => {
    const row = { N: x, p: f.y[i], [f.value.label]: f.v[i] };
    for (const column of f.hover || []) row[column.name] = column.values[i];
    row._x = placeX(x);
    row._y = placeY(f.y[i]);
    row._t = shade(f.v[i]);
    row._v = f.v[i];
    row._text = isNumber(f.v[i]) ? f.v[i].toFixed(f.v[i] < 10 ? 2 : 1) : "";
    row.tip = { title: `N = ${x}, p = ${f.y[i]}`, rows: [[f.value.label, show(format, f.v[i])], ...(f.hover || []).map(h => [h.name, show(h.format, h.values[i])]).filter(r => r[1] !== "")] };
    return row;
  }).filter(r => isNumber(r._v));
  const radius = isSparse ? Math.min(0.37 * cell, 17) : 0.5 * cell, reach = Math.min(radius, isSparse ? 17 : 9); /* large cells hold their marks */
  const dots = [...(f.marks || [])].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).filter(m => marks[m.kind]).map(m => {
    const isOver = rows.some(row => row.N === m.x && row.p === m.y), title = marks[m.kind].title;
    return { title, isOver, N: m.x, p: m.y, _x: placeX(m.x), _y: placeY(m.y), path: isOver ? marks[m.kind].path(reach, isSparse ? reach : 1.42 * reach) : marks[m.kind].path(2.5, 2.5),
      tip: { title, rows: [["N, p", `${show("number", m.x)}, ${show("number", m.y)}`]] } };
  });
  /* On a simulated cell the cell speaks, and says what is marked there; elsewhere the mark does. */
  for (const row of rows) {
    const here = dots.filter(d => d.isOver && d.N === row.N && d.p === row.p);
    if (here.length) row.tip.rows.push(["here", here.map(d => d.title).join(", ")]);
  }
  const lows = below(dark), highs = above(dark), hasLow = low < middle * 0.9995;
  const stops = [...(hasLow ? [...lows].reverse() : []), ...highs.slice(hasLow ? 1 : 0)];
  const ticks = [1, ...[4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64].filter(t => t < W && W - t > 1), W].filter((t, i, list) => list.indexOf(t) === i);
  const scaleBar = { width: Math.min(110, width * 0.42), x: 4, y: 4 };
  const place = (extra = {}) => ({ x: { scale: "x", field: "_x" }, y: { scale: "y", field: "_y" }, ...extra });
  const outline = (data, stroke, strokeWidth) => ({ type: "path", from: { data }, interactive: data === "alone" && stroke === c.text,
    encode: { update: { ...place(), path: field("path"), fill: { value: "transparent" }, stroke: { value: stroke }, strokeWidth: { value: strokeWidth }, tooltip: field("tip") } } });
  const cellSize = Math.max(1, cell - (cell > 5 ? 1 : 0));
  const fill = { signal: "datum._t >= 0 ? scale('high', datum._t) : scale('low', -datum._t)" };
  const hover = { stroke: { value: c.text }, strokeWidth: { value: 1.5 } };
  const cells = isSparse
    ? { type: "symbol", from: { data: "rows" }, encode: { update: { ...place(), size: { value: 4 * radius * radius }, fill, tooltip: field("tip"), strokeWidth: { value: 0 } }, hover } }
    : { type: "rect", from: { data: "rows" }, encode: { update: { xc: { scale: "x", field: "_x" }, yc: { scale: "y", field: "_y" }, width: { value: cellSize }, height: { value: cellSize }, cornerRadius: { value: Math.min(2, cell / 6) },
      fill, tooltip: field("tip"), strokeWidth: { value: 0 } }, hover } };
  const labels = isSparse && radius > 9.5 ? [{ type: "text", from: { data: "rows" }, interactive: false, encode: { update: { ...place(), text: field("_text"), align: { value: "center" }, baseline: { value: "middle" }, fontSize: { value: radius > 14 ? 9.5 : radius > 11 ? 8.5 : 7.5 },
    fill: { signal: `abs(datum._t) > 0.4 ? '${dark ? "#0f1216" : "#ffffff"}' : '${c.text}'` } } } }] : [];
  const axis = (orient, scale, own, title) => ({ orient, scale: isSparse ? `${scale}ticks` : scale, ...(isSparse ? {} : { values: own }), title, domain: false, titlePadding: 4, ticks: false });
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }, { name: "over", values: dots.filter(d => d.isOver) }, { name: "alone", values: dots.filter(d => !d.isOver) }],
    scales: [{ name: "x", type: "linear", domain: [0.5, columns + 0.5], range: "width", zero: false }, { name: "y", type: "linear", domain: [0.5, lines + 0.5], range: "height", zero: false },
      ...(isSparse ? [{ name: "xticks", type: "band", domain: f.xticks, range: "width" }, { name: "yticks", type: "band", domain: [...f.yticks].reverse(), range: [0, height] }] : []),
      { name: "low", type: "linear", domain: lows.map((l, i) => i / (lows.length - 1)), range: lows, clamp: true, interpolate: "lab" }, { name: "high", type: "linear", domain: highs.map((h, i) => i / (highs.length - 1)), range: highs, clamp: true, interpolate: "lab" }],
    axes: [axis("bottom", "x", ticks, f.xaxis.label), axis("left", "y", ticks, f.yaxis.label)],
    marks: [
      { type: "path", interactive: false, encode: { update: { path: { value: staircase(f.xticks || W, f.yticks || W, width / columns, height / lines, height) }, fill: { value: c.grid }, fillOpacity: { value: 0.45 } } } },
      cells, ...labels,
      { type: "rect", interactive: false, encode: { update: { x: { value: scaleBar.x }, y: { value: scaleBar.y }, width: { value: scaleBar.width }, height: { value: 7 }, cornerRadius: { value: 2 },
        fill: { value: { gradient: "linear", x1: 0, y1: 0, x2: 1, y2: 0, stops: stops.map((color, i) => ({ offset: i / (stops.length - 1), color })) } } } } },
      ...[[scaleBar.x, "left", show(format, hasLow ? low : middle)], [scaleBar.x + scaleBar.width, "right", `${show(format, Math.max(...values, middle))}\u00d7`]].map(([x, align, text]) =>
        ({ type: "text", interactive: false, encode: { update: { x: { value: x }, y: { value: scaleBar.y + 19 }, text: { value: text }, align: { value: align }, fontSize: { value: 10.5 }, fill: { value: c.muted } } } })),
      outline("over", c.paper, 3.4), outline("over", c.text, 1.6), outline("alone", c.paper, 3.4), outline("alone", c.text, 1.6),
    ] }) };
}
/* The places with p <= N as a staircase; an axis is a list of values, or a number W for 1 .. W. */
function staircase(xs, ys, cellWidth, cellHeight, height) {
  const list = axis => typeof axis === "number" ? Array.from({ length: axis }, (_, i) => i + 1) : axis;
  let path = `M0,${height}`;
  list(xs).forEach((N, i) => {
    const top = height - list(ys).filter(p => p <= N).length * cellHeight;
    path += `L${i * cellWidth},${top}L${(i + 1) * cellWidth},${top}`;
  });
  return `${path}L${list(xs).length * cellWidth},${height}Z`;
}

/* ---- matrix ---- */
function matrix(f, boxWidth, dark) {
  const c = ink(dark), left = Math.min(boxWidth * 0.45, 6.1 * Math.max(...f.rows.map(r => r.length)) + 12);
  const square = Math.min(18, (boxWidth - left - 14) / f.columns.length);
  const cellWidth = f.is_square ? square : Math.max(22, Math.min(64, (boxWidth - left - 14) / f.columns.length)), cellHeight = f.is_square ? square : f.rows.length > 14 ? 15 : 24;
  const width = cellWidth * f.columns.length, height = cellHeight * f.rows.length, limit = f.limit || 1;
  const rows = f.values.flatMap((line, i) => line.map((v, k) => ({ row: f.rows[i], column: f.columns[k], value: v, raw: f.raw ? f.raw[i][k] : undefined, _i: i, _k: k }))).filter(r => isNumber(r.value))
    .map(r => ({ ...r, _text: r.value.toFixed(2).replace("-", "\u2212"), _dark: Math.abs(r.value) > 0.62 * limit,
      tip: { title: r.row === r.column ? r.row : `${r.row} \u00b7 ${r.column}`, rows: [...(r.raw === undefined ? [] : [["value", show("number", r.raw)]]), [f.value.label, show("number", r.value)]] } }));
  const signs = (f.signs || []).flatMap((line, i) => line.map((sign, k) => ({ sign, _i: i, _k: k, _dark: isNumber(f.values[i][k]) && Math.abs(f.values[i][k]) > 0.62 * limit }))).filter(s => s.sign);
  const lows = below(dark), highs = above(dark).slice(0, dark ? 4 : 4), range = [...[...lows].reverse(), ...highs.slice(1)];
  const domain = [...lows.map((l, i) => -limit * (1 - i / (lows.length - 1))), ...highs.slice(1).map((h, i) => limit * (i + 1) / (highs.length - 1))];
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }, { name: "signs", values: signs }],
    scales: [{ name: "colour", type: "linear", domain, range, clamp: true, interpolate: "lab" }],
    marks: [
      { type: "rect", from: { data: "rows" }, encode: { update: { x: { signal: `datum._k * ${cellWidth}` }, y: { signal: `datum._i * ${cellHeight}` }, width: { value: cellWidth - 1 }, height: { value: cellHeight - 1 }, cornerRadius: { value: 1.5 },
        fill: { scale: "colour", field: "value" }, tooltip: field("tip"), strokeWidth: { value: 0 } }, hover: { stroke: { value: c.text }, strokeWidth: { value: 1.5 } } } },
      ...(f.is_labelled && cellWidth > 30 ? [{ type: "text", from: { data: "rows" }, interactive: false, encode: { update: { x: { signal: `(datum._k + 0.5) * ${cellWidth}` }, y: { signal: `(datum._i + 0.5) * ${cellHeight}` }, text: field("_text"), align: { value: "center" }, baseline: { value: "middle" },
        fontSize: { value: 10 }, fill: { signal: `datum._dark ? '${dark ? "#0f1216" : "#ffffff"}' : '${c.text}'` } } } }] : []),
      ...(f.signs ? [{ type: "text", from: { data: "signs" }, interactive: false, encode: { update: { x: { signal: `(datum._k + 0.5) * ${cellWidth} - 0.5` }, y: { signal: `(datum._i + 0.5) * ${cellHeight} - 0.5` }, text: field("sign"), align: { value: "center" }, baseline: { value: "middle" },
        fontSize: { value: 11 }, fill: { signal: `datum._dark ? '${dark ? "#0f1216" : "#ffffff"}' : '${c.text}'` } } } }] : []),
      { type: "group", encode: { update: {} }, marks: [
        ...f.rows.map((name, i) => ({ type: "text", interactive: false, encode: { update: { x: { value: -8 }, y: { value: (i + 0.5) * cellHeight }, text: { value: name }, align: { value: "right" }, baseline: { value: "middle" }, limit: { value: left - 10 }, fontSize: { value: 10.5 }, fill: { value: c.muted } } } })),
        ...f.columns.map((name, k) => ({ type: "text", interactive: false, encode: { update: { x: { value: (k + 0.5) * cellWidth }, y: { value: -6 }, text: { value: name }, align: { value: "left" }, baseline: { value: "middle" }, angle: { value: -45 }, fontSize: { value: 10.5 }, fill: { value: c.muted } } } })),
      ] },
    ] }) };
}

/* ---- rootogram: observed counts hung from expected ones ---- */
function rootogram(f, boxWidth, dark) {
  const c = ink(dark), colours = categorical(dark), width = Math.max(120, boxWidth - 74), height = 220;
  const rows = f.counts.map((count, i) => ({ count, observed: f.observed[i], expected: f.expected[i], _top: Math.sqrt(f.expected[i]), _bottom: Math.sqrt(f.expected[i]) - Math.sqrt(f.observed[i]),
    tip: { title: `${f.x.label} = ${count}`, rows: [["observed", show("number", f.observed[i])], ["expected", show("number", f.expected[i])]] } }));
  const extent = rows.flatMap(r => [r._top, r._bottom]).concat(0);
  return { rows, spec: base(width, height, dark, {
    data: [{ name: "rows", values: rows }],
    scales: [{ name: "x", type: "linear", domain: [f.counts[0] - 0.6, f.counts[f.counts.length - 1] + 0.6], range: "width", zero: false }, { name: "y", type: "linear", domain: [Math.min(...extent), Math.max(...extent)], range: "height", nice: true },
      { name: "colour", type: "ordinal", domain: ["observed", "expected"], range: [colours[0], colours[4]] }],
    axes: [{ orient: "bottom", scale: "x", title: f.x.label, format: "d", tickCount: 8, domain: false }, { orient: "left", scale: "y", grid: true, title: f.y.label, tickCount: 5, domain: false, ticks: false, format: axisFormat.number }],
    legends: [{ fill: "colour", orient: "top", direction: "horizontal", symbolType: "square" }],
    marks: [
      { type: "rect", from: { data: "rows" }, encode: { update: { xc: { scale: "x", field: "count" }, width: { value: Math.max(2, 0.72 * width / (f.counts.length + 0.2)) }, y: { scale: "y", field: "_top" }, y2: { scale: "y", field: "_bottom" },
        fill: { value: colours[0] }, fillOpacity: { value: 0.72 }, tooltip: field("tip") }, hover: { fillOpacity: { value: 1 } } } },
      rule("y", 0, width, dark),
      { type: "line", from: { data: "rows" }, interactive: false, encode: { update: { x: { scale: "x", field: "count" }, y: { scale: "y", field: "_top" }, stroke: { value: colours[4] }, strokeWidth: { value: 2 } } } },
      { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "count" }, y: { scale: "y", field: "_top" }, size: { value: 22 }, fill: { value: colours[4] }, stroke: { value: c.paper }, strokeWidth: { value: 0.5 }, tooltip: field("tip") } } },
    ] }) };
}

const all = { ...kinds, heat, matrix, rootogram };
const heights = { heat: () => 330, matrix: f => 40 + f.rows.length * (f.is_square ? 18 : f.rows.length > 14 ? 15 : 24), bars: () => 290, stack: f => 60 + f.categories.length * 18, points: f => 60 + 22 * f.labels.length, scatter: () => 300, line: () => 290, rootogram: () => 290, parallel: () => 360 };

poiseCharts.build = (figure, width, dark) => {
  try { return all[figure.kind](figure, width, dark); }
  catch (error) { throw new Error(`figure ${figure.id}: ${error.message}`); }
};
poiseCharts.height = figure => Math.min(1200, heights[figure.kind](figure));
poiseCharts.view = (spec, box, tooltip) => {
  const view = new poiseVega.View(poiseVega.parse(spec, {}, { ast: true }), { expr: poiseVega.interpreter, renderer: "svg", container: box, hover: true, logLevel: 1 });
  view.tooltip(tooltip);
  view.run();
  return view;
};
/* A mark as a small picture for the key: its outline round a small cell. */
poiseCharts.markIcon = kind => {
  const picture = (name, properties) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
    return node;
  };
  const svg = picture("svg", { width: 22, height: 22, viewBox: "-11 -11 22 22", "aria-hidden": "true" });
  svg.append(picture("circle", { r: 2.6, fill: "currentColor", opacity: 0.35 }),
    picture("path", { d: marks[kind].path(3, 3), fill: "none", stroke: "currentColor", "stroke-width": 1.6 }));
  return svg;
};
})();
