"use strict";
// The page's script: sorts and chooses rows, shows tips at the marks of drawings, draws the samples of the chosen row, and
// saves the run. Controls that need this script are hidden until it runs.

const byId = (id) => document.getElementById(id);
const json = byId("run").textContent;
const run = JSON.parse(json);

function say(text) {
  byId("said").textContent = text;
}

// ---- The table: sorting.

function valueOf(row, column) {
  const cell = row.cells[column];
  if (!cell.classList.contains("number")) return cell.textContent;
  return cell.hasAttribute("data-value") ? Number(cell.getAttribute("data-value")) : null;
}

// Compares two rows. In either order, rows that are not trusted stay last, and before them rows without a value. Rows with
// the same value stay in the order of the run.
function compare(a, b, direction) {
  if (a.doubtful !== b.doubtful) return a.doubtful - b.doubtful;
  const missing = (value) => value === null || value === "";
  if (missing(a.value) || missing(b.value)) return missing(a.value) - missing(b.value) || a.place - b.place;
  const order = typeof a.value === "number" ? a.value - b.value : a.value.localeCompare(b.value, "en", { numeric: true });
  return direction * order || a.place - b.place;
}

function sortBy(head, column) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = byId("rows").tBodies[0];
  const entries = [...body.rows].map((row) => ({ row, value: valueOf(row, column), place: Number(row.dataset.row), doubtful: row.dataset.result === "not trusted" }));
  entries.sort((a, b) => compare(a, b, ascending ? 1 : -1));
  body.append(...entries.map((entry) => entry.row));
  say(`sorted by ${head.textContent}, ${ascending ? "ascending" : "descending"}`);
}

[...byId("rows").tHead.rows[0].cells].forEach((head, column) => {
  const button = head.querySelector("button");
  if (button) button.addEventListener("click", () => sortBy(head, column));
});

// ---- The table: choosing rows.

const filters = byId("filters");

function choose() {
  const wanted = new FormData(filters);
  const words = wanted.get("text").toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...byId("rows").tBodies[0].rows];
  let shown = 0;
  for (const row of rows) {
    const fits = ["kernel", "size", "result", "verdict"].every((key) => !wanted.get(key) || row.dataset[key] === wanted.get(key));
    const text = row.textContent.toLowerCase();
    row.hidden = !(fits && words.every((word) => text.includes(word)));
    shown += !row.hidden;
  }
  byId("shown").textContent = `${shown === rows.length ? "" : `${shown} of `}${rows.length} row${rows.length === 1 ? "" : "s"}`;
}

filters.hidden = false;
filters.addEventListener("input", choose);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(choose));
if (filters.dataset.first) { // a long run shows one size first
  filters.elements.size.value = filters.dataset.first;
  choose();
}

// ---- Drawings: a mark shows its tip when the pointer or the arrow keys reach it.

const tooltip = byId("tooltip");
const tips = new WeakMap(); // a mark's text
let marked = null;

function hideTip() {
  tooltip.hidden = true;
  if (marked) marked.classList.remove("marked");
  marked = null;
}

function showTip(mark) {
  hideTip();
  marked = mark;
  mark.classList.add("marked");
  tooltip.textContent = tips.get(mark);
  tooltip.hidden = false;
  const box = mark.getBoundingClientRect();
  const view = document.documentElement.clientWidth;
  const left = Math.min(Math.max(box.left + box.width / 2 - tooltip.offsetWidth / 2, 4), view - tooltip.offsetWidth - 4);
  const above = box.top - tooltip.offsetHeight - 6;
  tooltip.style.left = `${left + scrollX}px`;
  tooltip.style.top = `${(above > 0 ? above : Math.min(box.bottom, innerHeight - tooltip.offsetHeight - 12) + 6) + scrollY}px`;
}

// Gives each mark, an element with a <title>, our own tip. Removes the <title>, so that the browser does not show it too.
function tellMarks(svg) {
  const marks = [];
  for (const title of svg.querySelectorAll("title")) {
    const mark = title.parentElement;
    if (mark === svg) continue;
    tips.set(mark, title.textContent);
    mark.dataset.mark = marks.push(mark);
    title.remove();
    mark.addEventListener("pointerenter", () => showTip(mark));
    mark.addEventListener("pointerleave", hideTip);
  }
  if (!marks.length) return;
  const about = svg.getAttribute("aria-label") || "";
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("aria-label", `${about} The arrow keys go through its ${marks.length} marks.`.trim());
  let at = 0;
  const go = (to) => {
    at = Math.min(Math.max(to, 0), marks.length - 1);
    showTip(marks[at]);
    say(tips.get(marks[at]));
  };
  svg.addEventListener("focus", () => svg.matches(":focus-visible") && go(at));
  svg.addEventListener("blur", hideTip);
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in steps)) return;
    event.preventDefault();
    go(at + steps[event.key]);
  });
}

document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
document.querySelectorAll("svg.plot").forEach(tellMarks);

// ---- The samples of the chosen row.

const TOP = 26, PANEL = 130, GAP = 26, LEFT = 76, RIGHT = 12, BOTTOM = 34;

function svgElement(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const short = (value) => String(Number(value.toPrecision(4)));
const seconds = (value) => short(Number(value.toFixed(6))); // a stopwatch tells millionths at best

// Returns the place of each sample from left to right: its seconds, each run behind the one before, or its number if no time
// is known.
function timesOf(row, count) {
  const known = row.sample_seconds || [];
  if (known.length !== count) return { times: Array.from({ length: count }, (_, i) => i + 1), unit: "sample" };
  const runs = row.samples_of_runs && row.samples_of_runs.length ? row.samples_of_runs : [count];
  const times = [];
  let begin = 0;
  for (const size of runs) {
    const own = known.slice(times.length, times.length + size);
    for (const second of own) times.push(begin + second);
    begin += own[own.length - 1] * 1.02;
  }
  return { times, unit: "seconds" };
}

// Returns a panel for the kernel, one for the reference and one for the clock, each with its own scale.
function panelsOf(row) {
  const reference = row.reference === "copy" ? "a copy" : "cuBLAS";
  const clocks = (row.sample_clocks_mhz || []).map((mhz) => mhz || null);
  const panels = [{ name: row.is_reference ? "cuBLAS" : row.kernel, unit: "ms", role: "kernel", values: row.samples_ms }];
  if (row.reference_samples_ms.length) panels.push({ name: reference, unit: "ms", role: "reference", values: row.reference_samples_ms });
  if (clocks.some(Boolean)) panels.push({ name: "clock", unit: "MHz", role: "soft", values: clocks });
  return panels;
}

function drawPanel(svg, panel, top, xs, width) {
  const known = panel.values.filter((value) => value !== null);
  let low = Math.min(...known), high = Math.max(...known);
  const pad = (high - low) * 0.08 || high * 0.01;
  low -= pad;
  high += pad;
  const y = (value) => top + PANEL * (1 - (value - low) / (high - low));
  svg.append(svgElement("text", { x: LEFT, y: top - 8, "font-size": 13, "font-weight": 600, fill: "var(--plot-ink)" }, `${panel.name}, ${panel.unit}`));
  for (const value of [low + pad, (low + high) / 2, high - pad]) {
    svg.append(svgElement("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), stroke: "var(--plot-grid)" }));
    const label = { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end", "font-size": 12, fill: "var(--plot-soft)" };
    svg.append(svgElement("text", label, short(value)));
    if (high - low <= 2.2 * pad) break; // all values are the same
  }
  panel.values.forEach((value, i) => {
    if (value === null) return;
    const mark = panel.role === "reference"
      ? svgElement("rect", { x: xs[i] - 2.6, y: y(value) - 2.6, width: 5.2, height: 5.2 })
      : svgElement("circle", { cx: xs[i], cy: y(value), r: 3 });
    mark.setAttribute("fill", `var(--plot-${panel.role})`);
    svg.append(mark);
  });
}

// Draws the strip of a sample, as high as the drawing. It shows the sample's tip when the pointer is on it.
function drawStrip(svg, row, panels, i, times, unit, xs, height) {
  const from = i === 0 ? xs[0] - 6 : (xs[i - 1] + xs[i]) / 2;
  const to = i + 1 === xs.length ? xs[i] + 6 : (xs[i] + xs[i + 1]) / 2;
  const said = panels.filter((panel) => panel.values[i] !== null).map((panel) => `${panel.name} ${short(panel.values[i])} ${panel.unit}`);
  const when = unit === "seconds" ? `, after ${seconds(row.sample_seconds[i])} s` : "";
  const strip = svgElement("g", { class: "sample" });
  strip.append(svgElement("title", {}, `sample ${i + 1} of ${xs.length}${when}\n${said.join("\n")}`));
  strip.append(svgElement("rect", { x: from, y: TOP, width: Math.max(to - from, 1), height: height - TOP - BOTTOM, fill: "transparent", stroke: "none" }));
  strip.append(svgElement("line", { x1: xs[i], x2: xs[i], y1: TOP, y2: height - BOTTOM }));
  svg.append(strip);
}

function drawSamples() {
  const row = run.benchmarks[Number(byId("row-of-samples").value)];
  const panels = panelsOf(row);
  const place = byId("samples-drawing");
  const width = Math.max(place.clientWidth, 280), height = TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM;
  const { times, unit } = timesOf(row, row.samples_ms.length);
  const span = times[times.length - 1] - times[0] || 1;
  const xs = times.map((time) => LEFT + 10 + ((time - times[0]) / span) * (width - LEFT - RIGHT - 20));
  const name = byId("row-of-samples").selectedOptions[0].textContent;
  const svg = svgElement("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Samples of ${name}.` });
  const runs = (row.samples_of_runs || []).slice(0, -1);
  runs.reduce((before, size) => {
    const x = (xs[before + size - 1] + xs[before + size]) / 2;
    svg.append(svgElement("line", { x1: x, x2: x, y1: TOP, y2: height - BOTTOM, stroke: "var(--plot-soft)", "stroke-dasharray": "4 3" }));
    return before + size;
  }, 0);
  panels.forEach((panel, i) => drawPanel(svg, panel, TOP + i * (PANEL + GAP), xs, width));
  const ticks = times.length > 1 ? [0, times.length - 1] : [0];
  for (const i of ticks) {
    const label = { x: xs[i], y: height - BOTTOM + 16, "text-anchor": i ? "end" : "start", "font-size": 12, fill: "var(--plot-soft)" };
    const ending = unit === "seconds" ? " s" : " samples";
    svg.append(svgElement("text", label, (unit === "seconds" ? seconds : short)(times[i]) + (i ? ending : "")));
  }
  times.forEach((_, i) => drawStrip(svg, row, panels, i, times, unit, xs, height));
  hideTip();
  place.replaceChildren(svg);
  tellMarks(svg);
}

if (byId("row-of-samples")) {
  byId("choose-samples").hidden = false;
  byId("row-of-samples").addEventListener("change", drawSamples);
  let drawn = 0;
  new ResizeObserver(() => {
    const width = byId("samples-drawing").clientWidth;
    if (width !== drawn) drawSamples();
    drawn = width;
  }).observe(byId("samples-drawing"));
  byId("rows").addEventListener("click", (event) => {
    const button = event.target.closest(".draw");
    if (!button) return;
    byId("row-of-samples").value = button.closest("tr").dataset.row;
    drawSamples();
    byId("samples").scrollIntoView();
    byId("row-of-samples").focus({ preventScroll: true });
  });
}

// ---- Saving, and paper.

const download = byId("download");
download.href = URL.createObjectURL(new Blob([json], { type: "application/json" }));
download.hidden = false;

// Opens folded parts for paper, where they would be missing. Sources stay as they are: all of them are sixty pages.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("section:not(#sources) > details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
