/* The page: sections, figures and tables out of the document, all by textContent, so that no text can become markup. */
"use strict";
(() => {
const report = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("top");
const tip = document.getElementById("tip");
const ROWS_AT_FIRST = 200;

const el = (name, props = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (key === "class") node.className = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
};

/* ---- colours: as the system, light or dark ---- */
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const remembered = () => { try { return localStorage.getItem("poise-theme"); } catch { return null; } };
let choice = remembered() || "system";
const isDark = () => choice === "dark" || (choice === "system" && system.matches);
const themeButton = document.getElementById("theme");
function applyTheme() {
  root.dataset.theme = isDark() ? "dark" : "light";
  themeButton.textContent = { system: "\u25d0 System", light: "\u25cb Light", dark: "\u25cf Dark" }[choice];
  for (const holder of holders) if (holder.view) draw(holder);
}
themeButton.addEventListener("click", () => {
  choice = { system: "light", light: "dark", dark: "system" }[choice];
  try { localStorage.setItem("poise-theme", choice); } catch { /* a page from disk may keep nothing */ }
  applyTheme();
});
system.addEventListener("change", applyTheme);

/* ---- hover ---- */
function showTip(event, value) {
  if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
  tip.replaceChildren(el("b", {}, String(value.title)));
  const list = el("dl");
  for (const [name, text] of value.rows || []) list.append(el("dt", {}, String(name)), el("dd", {}, String(text)));
  tip.append(list);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, innerWidth - width - 8), y = event.clientY + 16 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 16;
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${Math.max(8, y)}px`;
}

/* ---- figures: drawn when they come near the window ---- */
const holders = [];
function draw(holder) {
  const width = holder.box.clientWidth;
  if (width < 40) return;
  if (holder.view) holder.view.finalize();
  holder.box.replaceChildren();
  try {
    const { spec, rows } = poiseCharts.build(holder.figure, width, isDark() && !holder.isPrinting);
    holder.rows = rows;
    holder.width = width;
    const inner = el("div"); /* Vega names its container as it likes; the box keeps the figure's own description */
    holder.box.append(inner);
    holder.view = poiseCharts.view(spec, inner, (handler, event, item, value) => showTip(event, value));
  } catch (error) { /* the others are drawn all the same */
    console.error(error);
    holder.box.replaceChildren(el("p", {}, `This figure cannot be drawn: ${error.message}`));
  }
  holder.box.style.minHeight = "";
  holder.box.dataset.drawn = "yes";
}
const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const holder = holders.find(h => h.box === entry.target);
    if (entry.isIntersecting && holder && !holder.view) draw(holder);
  }
}, { rootMargin: "500px" });
let resizing;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => { for (const h of holders) if (h.view && h.box.clientWidth !== h.width) draw(h); }, 120);
});
addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
addEventListener("beforeprint", () => {
  for (const holder of holders) { holder.isPrinting = true; draw(holder); }
  for (const notes of document.querySelectorAll("details")) notes.open = true;
});
addEventListener("afterprint", () => { for (const holder of holders) { holder.isPrinting = false; draw(holder); } });

/* ---- saving ---- */
function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
const csvCell = value => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (head, rows) => [head, ...rows].map(row => row.map(csvCell).join(",")).join("\n") + "\n";
function figureCsv(holder) {
  const keys = [...new Set(holder.rows.flatMap(row => Object.keys(row)))].filter(key => key !== "tip" && !key.startsWith("_"));
  return csv(keys, holder.rows.map(row => keys.map(key => row[key])));
}
async function saveFigure(holder, kind) {
  if (!holder.view) draw(holder);
  const name = `${holder.figure.id}.${kind}`;
  if (kind === "csv") save(name, "text/csv", figureCsv(holder));
  else if (kind === "svg") save(name, "image/svg+xml", await holder.view.toSVG());
  else {
    const canvas = await holder.view.toCanvas(2);
    canvas.toBlob(blob => save(name, "image/png", blob), "image/png");
  }
}

const sizes = { small: "small", half: "half" };
function defaultSize(figure) {
  if (figure.size) return sizes[figure.size] || "";
  if (figure.kind === "scatter" || figure.kind === "rootogram" || figure.kind === "line") return "half";
  if (figure.kind === "points") return "half";
  if (figure.kind === "matrix") return figure.columns.length > 12 ? "" : "half";
  return "";
}
function addFigure(figure, into) {
  const box = el("div", { class: "chart", role: "img", "aria-label": figure.alt || figure.title, tabindex: "-1" });
  const holder = { figure, box, view: null, rows: [] };
  box.style.minHeight = `${poiseCharts.height(figure)}px`;
  const buttons = ["svg", "png", "csv"].map(kind =>
    el("button", { type: "button", "data-save": kind, "aria-label": `Save "${figure.title}" as ${kind.toUpperCase()}`, onclick: () => saveFigure(holder, kind) }, kind.toUpperCase()));
  const node = el("figure", { id: figure.id, class: defaultSize(figure), "data-kind": figure.kind, "data-group": figure.group || "" },
    el("header", {}, el("h3", {}, el("a", { href: `#${figure.id}` }, figure.title)), el("div", { class: "save" }, ...buttons)),
    box, figure.caption ? el("figcaption", {}, figure.caption) : null);
  holder.node = node;
  into.append(node);
  holders.push(holder);
}

/* ---- tables ---- */
const formats = poiseCharts.formats;
const isEmpty = value => value === null || value === "";
function addTable(all, into) {
  /* Columns without any value are left out: of what was not measured there is nothing to show. */
  const kept = all.columns.map((column, i) => i).filter(i => !all.rows.every(row => isEmpty(row[i])));
  const table = { ...all, columns: kept.map(i => all.columns[i]), rows: all.rows.map(row => kept.map(i => row[i])) };
  const kinds = table.columns.map(column => column.kind);
  const isNumber = kind => kind !== "text";
  let rows = table.rows, order = null, showsAll = false;
  const body = el("tbody"), count = el("span", { class: "count" }), more = el("div", { class: "more", hidden: true });
  const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": `Filter "${table.title}"`, oninput: update });
  const heads = table.columns.map((column, i) => el("th", { scope: "col", class: isNumber(column.kind) ? "number" : "" },
    el("button", { type: "button", onclick: () => sortBy(i) }, column.name)));
  const isLong = value => String(value).split(/\s+/).some(word => word.length > 24); /* may break inside a word */
  const shown = (value, kind) => value === null ? "" : typeof value === "string" ? value : formats[kind](value);
  function sortBy(i) {
    order = { i, down: order && order.i === i ? !order.down : isNumber(kinds[i]) };
    heads.forEach((head, k) => k === i ? head.setAttribute("aria-sort", order.down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    update();
  }
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null); /* nothing comes last, either way */
    const numeric = typeof a === "number" && typeof b === "number";
    return (numeric ? a - b : String(a).localeCompare(String(b), "en", { numeric: true })) * (order.down ? -1 : 1);
  }
  function update() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows = table.rows.filter(row => {
      const text = row.map((value, i) => shown(value, kinds[i])).join(" ").toLowerCase();
      return words.every(word => text.includes(word));
    });
    if (order) rows = [...rows].sort((a, b) => compare(a[order.i], b[order.i]));
    const visible = showsAll ? rows : rows.slice(0, ROWS_AT_FIRST);
    body.replaceChildren(...visible.map(row => el("tr", {}, ...row.map((value, i) => el("td", { class: isNumber(kinds[i]) ? "number" : isLong(value) ? "long" : "" }, shown(value, kinds[i]))))));
    count.textContent = rows.length === table.rows.length ? `${rows.length} rows` : `${rows.length} of ${table.rows.length} rows`;
    more.hidden = visible.length === rows.length;
    more.replaceChildren(`${visible.length} of ${rows.length} shown `, el("button", { type: "button", onclick: () => { showsAll = true; update(); } }, "Show all"));
  }
  into.append(el("div", { class: "table", id: table.id },
    el("header", {}, el("h3", {}, el("a", { href: `#${table.id}` }, table.title)), count, table.rows.length > 6 ? filter : null,
      el("button", { type: "button", "data-save": "csv", onclick: () => save(`${table.id}.csv`, "text/csv", csv(table.columns.map(c => c.name), rows)) }, "CSV")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title }, el("table", { class: table.columns.length > 8 ? "wide" : "" }, el("thead", {}, el("tr", {}, ...heads)), body)), more));
  update();
}

/* ---- sections ---- */
function addMapTools(section, into, grid) {
  const figures = () => holders.filter(h => h.node.parentNode === grid);
  const groups = [...new Set(section.figures.map(f => f.group).filter(Boolean))];
  const count = el("span", { class: "count" });
  const filter = el("input", { type: "search", placeholder: "Filter kernels", "aria-label": "Filter kernels", oninput: update });
  const select = groups.length > 1 ? el("select", { "aria-label": "Set", onchange: update }, el("option", { value: "" }, "all sets"),
    ...groups.map(g => el("option", { value: g }, g))) : null;
  function update() {
    const word = filter.value.toLowerCase();
    let n = 0;
    for (const holder of figures()) {
      const fits = holder.figure.title.toLowerCase().includes(word) && (!select || !select.value || holder.figure.group === select.value);
      holder.node.hidden = !fits;
      n += fits;
    }
    count.textContent = `${n} of ${section.figures.length} maps`;
  }
  into.append(el("div", { class: "tools" }, filter, select, count));
  return update;
}
function addSection(section) {
  const node = el("section", { id: section.id }, el("h2", {}, el("a", { href: `#${section.id}` }, section.title), section.source ? el("small", {}, section.source) : null));
  if (section.text) node.append(el("p", {}, section.text));
  const grid = el("div", { class: "figures" });
  let update = null;
  if (section.legend) {
    node.append(el("ul", { class: "marks" }, ...section.legend.map(mark => el("li", {}, poiseCharts.markIcon(mark.kind), el("span", {}, el("b", {}, mark.title), ` ${mark.text}`)))));
    if ((section.figures || []).length > 3) update = addMapTools(section, node, grid);
  }
  for (const figure of section.figures || []) addFigure(figure, grid);
  if (section.figures) node.append(grid);
  if (update) update();
  for (const table of section.tables || []) if (table.rows.length) addTable(table, node);
  if (section.notes) node.append(el("details", { class: "notes", open: section.notes.length <= 6 }, el("summary", {}, `Notes (${section.notes.length})`),
    el("ul", {}, ...section.notes.map(note => el("li", { class: note.includes("\n") ? "code" : "" }, note)))));
  main.append(node);
}

/* ---- the page ---- */
function addContents() {
  const contents = document.getElementById("contents");
  const entries = [["top", "Summary", ""], ...report.sections.map(s => [s.id, s.title, s.source])];
  const links = new Map();
  let from = "";
  for (const [id, title, source] of entries) {
    if (source !== from && report.sources.length > 1 && source) contents.append(el("div", { class: "from" }, source));
    from = source;
    const link = el("a", { href: `#${id}` }, title);
    links.set(id, link);
    contents.append(link);
  }
  const here = () => {
    let current = "top";
    for (const section of report.sections) {
      const node = document.getElementById(section.id);
      if (node && node.getBoundingClientRect().top < 140) current = section.id;
    }
    for (const [id, link] of links) link.classList.toggle("here", id === current);
  };
  addEventListener("scroll", here, { passive: true });
  here();
}

document.getElementById("bar-title").textContent = report.title;
main.append(el("h1", {}, report.title), el("p", { class: "lead" },
  `Poise ${report.version}, simulation model ${report.model_version}. From ${report.sources.map(s => s.name).join(", ")}.`));
if (report.headline.length) main.append(el("div", { class: "cards" }, ...report.headline.map(card => {
  const node = el("div", { class: "card" }, el("b", {}, card.label), el("strong", {}, card.value), el("span", {}, card.detail));
  node.style.setProperty("--tone", `var(--${card.role.replaceAll("_", "-")}, var(--faint))`);
  return node;
})));
if (report.findings.length) main.append(el("ul", { class: "findings" }, ...report.findings.map(text => el("li", {}, text))));
report.sections.forEach(addSection);
main.append(el("footer", {}, "Written by poise report. This page holds all its data and asks nothing of the network."));
applyTheme();
addContents();
for (const holder of holders) watcher.observe(holder.box);
if (location.hash) { const target = document.getElementById(decodeURIComponent(location.hash.slice(1))); if (target) target.scrollIntoView(); }
root.dataset.ready = "yes";
})();
