"use strict";
// The page's behaviour. The rules come first. They repeat the simulated GPU's rules (src/lens/prices.cpp, setting.cpp); a test
// compares the two on thousands of settings.

const byId = (id) => document.getElementById(id);
const { LANES, SECTOR_BYTES, LINE_BYTES, WORD_BYTES, BANKS } = JSON.parse(byId("rules").textContent);

// ---- The rules.

const bytesOf = (s) => Number(s.width); // of a lane's access
const isTwoDimensional = (s) => s.mapping === "row" || s.mapping === "column";

// Returns the row and the column of a thread of the block.
function placeOf(s, thread) {
  const x = thread % s.x, y = Math.floor(thread / s.x);
  if (s.mapping === "row") return [x, y];
  if (s.mapping === "column") return [y, x];
  return [Math.floor(thread / s.tile), thread % s.tile];
}

// Returns the addresses that the active lanes read or write.
function addressesOf(s) {
  const threads = Math.min(LANES, s.x * (isTwoDimensional(s) ? s.y : 1));
  const step = s.stride * (bytesOf(s) / WORD_BYTES);
  return Array.from({ length: threads }, (_, thread) => {
    if (s.mapping === "line") return WORD_BYTES * (s.offset + thread * step);
    const [row, column] = placeOf(s, thread);
    return WORD_BYTES * (s.offset + (s.operand === "B" ? 0 : row * s.columns) + (s.operand === "A" ? 0 : column * step));
  });
}

// Returns the numbers of the touched pieces of memory: sectors, lines or words.
function touched(addresses, bytes, piece) {
  const numbers = new Set();
  for (const address of addresses) {
    for (let n = Math.floor(address / piece); n * piece < address + bytes; ++n) numbers.add(n);
  }
  return [...numbers].sort((a, b) => a - b);
}

// Returns the phases of an access to shared memory. Each phase has its lanes and the words that they need from each bank.
function phasesOf(addresses, bytes, isLoad) {
  const lanes = addresses.map((_, lane) => lane);
  const merges = (some) =>
    isLoad && [1, 2].some((bit) => some.every((lane) => (lane ^ bit) >= addresses.length || addresses[lane] === addresses[lane ^ bit]));
  const cut = (some, size) => {
    const pieces = new Map();
    for (const lane of some) pieces.set(Math.floor(lane / size), [...(pieces.get(Math.floor(lane / size)) || []), lane]);
    return [...pieces.values()];
  };
  let groups = cut(lanes, LANES);
  if (bytes === 8 && !merges(lanes)) groups = cut(lanes, LANES / 2);
  if (bytes === 16) groups = cut(lanes, LANES / 2).flatMap((half) => (merges(half) ? [half] : cut(half, LANES / 4)));
  return groups.map((group) => {
    const banks = Array.from({ length: BANKS }, () => []);
    for (const word of touched(group.map((lane) => addresses[lane]), bytes, WORD_BYTES)) banks[word % BANKS].push(word);
    return { lanes: group, banks, wavefronts: Math.max(...banks.map((words) => words.length)) };
  });
}

// Returns the cost; null if an address is not a multiple of the width, because a GPU would abort the access.
function costOf(s) {
  const addresses = addressesOf(s);
  if (addresses.some((address) => address % bytesOf(s))) return null;
  const phases = phasesOf(addresses, bytesOf(s), s.action === "load");
  return {
    sectors: touched(addresses, bytesOf(s), SECTOR_BYTES).length,
    lines: touched(addresses, bytesOf(s), LINE_BYTES).length,
    used: new Set(addresses).size * bytesOf(s),
    wavefronts: phases.reduce((sum, phase) => sum + phase.wavefronts, 0),
    phases: phases.length,
  };
}

// ---- The setting: the state of the controls, and the page's address.

const fields = [...document.querySelectorAll("[data-key]")].map((box) => {
  const [first, slider] = box.querySelectorAll("input");
  const key = box.dataset.key;
  if (first.type === "radio") {
    const radios = [...box.querySelectorAll("input")];
    return { key, box, words: radios.map((radio) => radio.value), usual: radios.find((radio) => radio.defaultChecked).value, radios };
  }
  const name = box.querySelector("label").textContent;
  return { key, box, name, least: Number(first.min), most: Number(first.max), usual: Number(first.defaultValue), inputs: [first, slider] };
});
const presets = [...byId("preset").options].slice(1);
const usual = () => Object.fromEntries(fields.map((field) => [field.key, field.usual]));

const within = (field, value) => Math.min(Math.max(Math.round(value), field.least), field.most);

// Returns the setting of "stride=2&width=16", and the parts of it that this page does not know.
function parse(text) {
  const state = usual(), unknown = [];
  for (const [key, word] of new URLSearchParams(text)) {
    const field = fields.find((one) => one.key === key);
    const value = field && !field.words ? Number(word) : NaN;
    if (field && field.words && field.words.includes(word)) state[key] = word;
    else if (word.trim() && Number.isFinite(value)) state[key] = within(field, value);
    if (!field || (field.words ? !field.words.includes(word) : String(state[key]) !== word)) unknown.push(word ? `${key}=${word}` : key);
  }
  return { state, unknown };
}

// Returns the address of a setting. It is never empty, because a page without an address opens with a preset.
function addressOf(s) {
  const unusual = fields.filter((field) => s[field.key] !== field.usual);
  return (unusual.length ? unusual : fields.slice(0, 1)).map((field) => `${field.key}=${s[field.key]}`).join("&");
}

let state = usual();
let swept = "stride"; // the slider that was moved last, or that the preset is about

function fromAddress() {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    // it stays as it is, and is refused below
  }
  if (text === "controls") return; // the link to the sliders
  const preset = presets.find((option) => option.value === text);
  const { state: read, unknown } = parse(preset ? preset.dataset.state : text);
  byId("notice").hidden = !unknown.length;
  byId("notice").textContent = `The address asks for ${unknown.join(", ")}, which this page does not have: the nearest is shown.`;
  state = read;
  byId("preset").value = preset ? preset.value : "";
  if (preset) swept = preset.parentElement.dataset.slider;
  show();
}

let later = 0;
function toAddress() {
  const name = byId("preset").value;
  const hash = `#${name || addressOf(state)}`;
  const before = location.hash;
  clearTimeout(later); // browsers refuse when the address changes too often
  later = setTimeout(() => {
    // The user may have given another address meanwhile.
    if (location.hash === before && before !== hash) history.replaceState(null, "", hash);
  }, 150);
}

// ---- Sentences.

const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const percent = (part, whole) => `${String(Number(((100 * part) / whole).toFixed(1)))} %`;

function verdictOf(s, addresses, cost) {
  const lanes = plural(addresses.length, "lane");
  if (!cost) {
    const lane = addresses.findIndex((address) => address % bytesOf(s));
    return `A GPU would abort this: byte ${addresses[lane]}, which lane ${lane} asks for, is no multiple of ${s.width}.`;
  }
  if (s.memory === "global") {
    const touch = addresses.length === 1 ? "touches" : "touch";
    return `${lanes} ${touch} ${plural(cost.sectors, "sector")}: ${percent(cost.used, cost.sectors * SECTOR_BYTES)} of the bytes moved are used.`;
  }
  const extra = cost.wavefronts - cost.phases;
  const end = extra ? `${plural(extra, "bank conflict")}.` : "no lane waits for another.";
  return `${lanes} take${addresses.length === 1 ? "s" : ""} ${plural(cost.wavefronts, "wavefront")}: ${end}`;
}

function whyOf(s, addresses, cost) {
  if (!cost) return `An access of ${s.width} bytes must lie at a multiple of ${s.width} bytes. Change the offset${s.mapping === "line" ? "" : ", the columns"} or the width.`;
  return s.memory === "global" ? whySectors(s, addresses, cost) : whyWavefronts(s, addresses, cost);
}

function whySectors(s, addresses, cost) {
  const moved = cost.sectors * SECTOR_BYTES;
  const distinct = cost.used / bytesOf(s);
  const shared = distinct < addresses.length;
  if (distinct === 1 && addresses.length > 1) return "All lanes want the same element. It comes once, for all of them: a broadcast.";
  if (cost.used === moved && bytesOf(s) > WORD_BYTES) return `Every byte that is moved is used. The request is larger because each lane asks for ${s.width} bytes, not because it wastes any.`;
  if (cost.used === moved) return "Every byte that is moved is used: the lanes fill whole sectors.";
  if (cost.sectors === distinct && distinct > 1) return `Each ${shared ? "address" : "lane"} has a sector of its own. A sector is moved whole: ${SECTOR_BYTES} bytes, and ${s.width} of them are used.`;
  const span = Math.max(...addresses) + bytesOf(s) - Math.min(...addresses);
  if (span === cost.used) return `The lanes are neighbours, but their ${cost.used} bytes do not begin and end where sectors do: of the sectors at the ends a part is moved for nothing.`;
  return `A sector is moved whole. Of its ${SECTOR_BYTES} bytes the lanes use ${String(Number((cost.used / cost.sectors).toFixed(1)))} here, on average.`;
}

function whyWavefronts(s, addresses, cost) {
  const phases = phasesOf(addresses, bytesOf(s), s.action === "load");
  const served = Math.max(...phases.map((phase) => phase.lanes.length));
  const wide = cost.phases === 1 ? "" : `${s.width} bytes a lane are too much for one wavefront of ${LINE_BYTES} bytes, so ${served} lanes are served at a time. `;
  const worst = phases.reduce((a, b) => (b.wavefronts > a.wavefronts ? b : a));
  if (worst.wavefronts > 1) {
    const bank = worst.banks.findIndex((words) => words.length === worst.wavefronts);
    return `${wide}Bank ${bank} holds ${worst.wavefronts} different words that are wanted together. A bank hands out one word in a wavefront, so ${worst.wavefronts} wavefronts are needed${cost.phases === 1 ? "" : " each time"}.`;
  }
  if (new Set(addresses).size === 1) return `${wide}All lanes want the same words. A bank hands its word to all of them at once: a broadcast.`;
  const usually = bytesOf(s) === 16 ? 8 : 16;
  if (bytesOf(s) > WORD_BYTES && served > usually) return `Neighbouring lanes read the same ${s.width} bytes, so ${served} lanes are served together instead of ${usually}.`;
  return `${wide}No two lanes want different words of one bank.`;
}

function codeOf(s) {
  const k = bytesOf(s) / WORD_BYTES, type = k === 1 ? "float" : `float${k}`;
  const memory = s.memory === "global" ? "in" : "tile";
  const times = (n, what) => (n === 1 ? what : `${n} * ${what}`);
  let set = "", element = times(s.stride * k, "threadIdx.x");
  if (s.mapping !== "line") {
    const [row, col] = { row: ["threadIdx.x", "threadIdx.y"], column: ["threadIdx.y", "threadIdx.x"], remap: [`threadIdx.x / ${s.tile}`, `threadIdx.x % ${s.tile}`] }[s.mapping];
    set = `row = ${row};  col = ${col};\n`;
    const parts = [];
    if (s.operand !== "B") parts.push(times(s.columns, "row"));
    if (s.operand !== "A") parts.push(times(s.stride * k, "col"));
    element = parts.join(" + ");
  }
  if (s.offset) element = `${s.offset} + ${element}`;
  const place = k === 1 ? `${memory}[${element}]` : `*(${type}*)&${memory}[${element}]`;
  const block = isTwoDimensional(s) ? `block of ${s.x} x ${s.y}` : `block of ${s.x} x 1`;
  return `${set}${s.memory === "shared" && s.action === "store" ? `${place} = value;` : `value = ${place};`}  // ${block}, its first warp`;
}

// ---- Drawings.

const html = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// "0-3", "0, 8".
function laneList(lanes) {
  const runs = [];
  for (const lane of lanes) {
    const last = runs[runs.length - 1];
    if (last && last[1] + 1 === lane) last[1] = lane;
    else runs.push([lane, lane]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
}

const hueOf = (lane) => 190 + (lane * 150) / (LANES - 1);

// Returns a box for a word of memory or for a lane, with the lanes that stand in it.
function cell(kind, lanes, empty) {
  const box = html("span", { class: `${kind} ${lanes.length ? "lane" : empty}` });
  if (!lanes.length) return box;
  box.style.setProperty("--h", hueOf(lanes[0]));
  box.dataset.lanes = ` ${lanes.join(" ")} `;
  const text = laneList(lanes);
  box.textContent = text.length > 5 ? `×${lanes.length}` : text;
  box.title = `lane${lanes.length === 1 ? "" : "s"} ${text}`;
  return box;
}

// Returns the lanes that touch each word.
function lanesOfWords(addresses, bytes) {
  const words = new Map();
  addresses.forEach((address, lane) => {
    for (const word of touched([address], bytes, WORD_BYTES)) words.set(word, [...(words.get(word) || []), lane]);
  });
  return words;
}

function drawLines(s, addresses) {
  const words = lanesOfWords(addresses, bytesOf(s));
  const sectors = new Set(touched(addresses, bytesOf(s), SECTOR_BYTES));
  const rows = [];
  let before = -1;
  for (const line of touched(addresses, bytesOf(s), LINE_BYTES)) {
    const left = line - before - 1;
    if (left > 0) rows.push(html("div", { class: "gap" }, `⋮ ${plural(left, "line")} without a lane`));
    before = line;
    const row = html("div", { class: "sectors" });
    for (let i = 0; i < LINE_BYTES / SECTOR_BYTES; ++i) {
      const sector = (line * LINE_BYTES) / SECTOR_BYTES + i;
      const box = html("span", { class: sectors.has(sector) ? "sector moved" : "sector" });
      for (let w = 0; w < SECTOR_BYTES / WORD_BYTES; ++w) {
        box.append(cell("word", words.get((sector * SECTOR_BYTES) / WORD_BYTES + w) || [], sectors.has(sector) ? "waste" : ""));
      }
      row.append(box);
    }
    rows.push(html("div", { class: "line" }, html("b", {}, String(line * LINE_BYTES)), row));
  }
  return rows;
}

function drawBanks(s, addresses) {
  const words = lanesOfWords(addresses, bytesOf(s));
  const phases = phasesOf(addresses, bytesOf(s), s.action === "load");
  const head = html("div", { class: "banks" });
  for (let bank = 0; bank < BANKS; ++bank) head.append(html("i", {}, String(bank)));
  const rows = [html("div", { class: "wave" }, html("b", {}, "bank"), head)];
  let number = 0;
  for (const phase of phases) {
    if (phases.length > 1) rows.push(html("div", { class: "phase" }, `lanes ${laneList(phase.lanes)}`));
    for (let wave = 0; wave < phase.wavefronts; ++wave) {
      const row = html("div", { class: "banks" });
      for (const wanted of phase.banks) {
        const lanes = wave < wanted.length ? words.get(wanted[wave]).filter((lane) => phase.lanes.includes(lane)) : [];
        row.append(cell("word", lanes, ""));
      }
      rows.push(html("div", { class: "wave" }, html("b", {}, `${++number}`), row));
    }
  }
  return rows;
}

function drawMoved(s, cost) {
  const bar = byId("moved");
  const parts = !cost ? [] : s.memory === "global"
    ? [["used", cost.used], ["waste", cost.sectors * SECTOR_BYTES - cost.used], ["", 1024 - cost.sectors * SECTOR_BYTES]]
    : [["used", cost.phases], ["waste", cost.wavefronts - cost.phases], ["", 32 - cost.wavefronts]];
  bar.replaceChildren(...parts.filter(([, size]) => size > 0).map(([kind, size]) => {
    const part = html("span", { class: kind });
    part.style.flex = `${size} 1 0`;
    return part;
  }));
  bar.setAttribute("aria-label", byId("verdict").textContent);
}

function drawCounts(s, cost) {
  const moved = cost && cost.sectors * SECTOR_BYTES;
  const counts = !cost ? [] : s.memory === "global"
    ? [["sectors of 32 bytes", cost.sectors], ["lines of 128 bytes", cost.lines], ["bytes used", cost.used], ["bytes moved", moved], ["used of moved", percent(cost.used, moved)]]
    : [["wavefronts", cost.wavefronts], ["least for this width", cost.phases], ["bank conflicts", cost.wavefronts - cost.phases], ["bytes wanted", cost.used]];
  byId("counts").replaceChildren(...counts.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, String(value)))));
}

const WINDOW = 65; // bars at most

function drawSweep() {
  const field = fields.find((one) => one.key === swept);
  const first = Math.max(field.least, Math.min(state[swept] - (WINDOW >> 1), field.most - WINDOW + 1));
  const last = Math.min(field.most, first + WINDOW - 1);
  const isGlobal = state.memory === "global";
  const what = isGlobal ? "bytes moved" : "wavefronts";
  const values = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const costs = values.map((value) => costOf({ ...state, [swept]: value }));
  const total = (cost) => (isGlobal ? cost.sectors * SECTOR_BYTES : cost.wavefronts);
  const most = Math.max(1, ...costs.filter(Boolean).map(total));
  byId("sweep").replaceChildren(...values.map((value, i) => {
    const cost = costs[i], bar = html("i", value === state[swept] ? { class: "now" } : {});
    bar.title = cost ? `${field.name} ${value}: ${total(cost)} ${what}` : `${field.name} ${value}: not aligned`;
    bar.dataset.value = value;
    if (!cost) bar.append(html("span", { class: "refused" }));
    else {
      const good = isGlobal ? cost.used : cost.phases;
      for (const [kind, size] of [["waste", total(cost) - good], ["used", good]]) {
        const part = html("span", { class: kind });
        part.style.height = `${(100 * size) / most}%`;
        bar.append(part);
      }
    }
    return bar;
  }));
  byId("sweep-caption").textContent = `${field.name} from ${first} to ${last}: ${what}, ${isGlobal ? "used and unused" : "needed and lost to conflicts"} (at most ${most})`;
  byId("sweep-axis").replaceChildren(...[first, Math.round((first + last) / 2), last].map((value) => html("span", {}, String(value))));
}

function drawTable(s, addresses) {
  const names = ["lane", "threadIdx", "byte", s.memory === "global" ? "sector" : "bank"];
  const rows = addresses.map((address, lane) => {
    const x = isTwoDimensional(s) ? `${lane % s.x}, ${Math.floor(lane / s.x)}` : `${lane}, 0`;
    return [lane, x, address, s.memory === "global" ? Math.floor(address / SECTOR_BYTES) : (address / WORD_BYTES) % BANKS];
  });
  byId("addresses").replaceChildren(
    html("thead", {}, html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((value) => html("td", {}, String(value)))))),
  );
}

function showControls() {
  const shown = {
    action: state.memory === "shared",
    operand: state.mapping !== "line",
    y: isTwoDimensional(state),
    stride: state.mapping === "line" || state.operand !== "A", // the others have no effect
    columns: state.mapping !== "line" && state.operand !== "B",
    tile: state.mapping === "remap",
  };
  for (const field of fields) {
    field.box.hidden = shown[field.key] === false;
    if (field.words) for (const radio of field.radios) radio.checked = radio.value === state[field.key];
    else for (const input of field.inputs) if (input !== document.activeElement || Number(input.value) !== state[field.key]) input.value = state[field.key];
  }
  const sliders = fields.filter((field) => field.inputs && !field.box.hidden).map((field) => field.key);
  if (!sliders.includes(swept)) swept = sliders[0];
}

function show() {
  const addresses = addressesOf(state), cost = costOf(state);
  const isGlobal = state.memory === "global";
  showControls();
  const chosen = byId("preset").selectedOptions[0];
  byId("task").textContent = chosen.value ? chosen.parentElement.dataset.task : "";
  byId("verdict").textContent = verdictOf(state, addresses, cost);
  byId("verdict").classList.toggle("refused", !cost);
  byId("why").textContent = whyOf(state, addresses, cost);
  drawMoved(state, cost);
  drawCounts(state, cost);
  byId("code").textContent = codeOf(state);
  byId("lanes").replaceChildren(...Array.from({ length: LANES }, (_, lane) => cell("chip", lane < addresses.length ? [lane] : [], "absent")));
  byId("caption").textContent = isGlobal
    ? "Memory: a row is a line of 128 bytes, a frame a sector that is moved"
    : "Shared memory: a column is a bank, a row a wavefront";
  byId("legend").textContent = isGlobal
    ? "Coloured: used, by the lane of this number. Striped: moved, and used by nobody. The number on the left is the line's first byte."
    : "Coloured: the word that the bank hands out, to the lanes of these numbers. Wavefronts are numbered on the left; they come one after the other.";
  byId("picture").parentElement.hidden = !cost;
  byId("picture").replaceChildren(...(cost ? (isGlobal ? drawLines : drawBanks)(state, addresses) : []));
  drawSweep();
  drawTable(state, addresses);
  mark(marked);
}

// ---- A lane and its place.

let marked = null;

function mark(lane) {
  for (const box of document.querySelectorAll(".marked")) box.classList.remove("marked");
  const addresses = addressesOf(state);
  marked = lane !== null && lane < addresses.length ? lane : null;
  if (marked === null) return;
  for (const box of document.querySelectorAll(`[data-lanes~="${marked}"]`)) box.classList.add("marked");
  const address = addresses[marked], end = address + bytesOf(state) - 1;
  const place = state.memory === "global"
    ? `sector ${Math.floor(address / SECTOR_BYTES)}, line ${Math.floor(address / LINE_BYTES)}`
    : `bank${bytesOf(state) > WORD_BYTES ? "s" : ""} ${laneList(touched([address], bytesOf(state), WORD_BYTES).map((word) => word % BANKS))}`;
  byId("lane").textContent = `Lane ${marked}: bytes ${address} to ${end}, ${place}.`;
}

for (const id of ["lanes", "picture"]) {
  byId(id).addEventListener("pointerover", (event) => {
    const lanes = event.target.dataset.lanes;
    if (lanes) mark(Number(lanes.trim().split(" ")[0]));
  });
}
byId("lanes").addEventListener("keydown", (event) => {
  const last = addressesOf(state).length - 1, at = marked === null ? -1 : marked;
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  mark(Math.min(Math.max(to, 0), last));
});

// ---- The reader's actions.

function change(key, value) {
  if (state[key] === value) return;
  state = { ...state, [key]: value };
  byId("preset").value = "";
  if (fields.find((field) => field.key === key).inputs) swept = key;
  byId("notice").hidden = true;
  const task = byId("task").textContent;
  show();
  byId("task").textContent = task; // it goes on being tried
  toAddress();
}

for (const field of fields) {
  for (const input of field.words ? field.radios : field.inputs) {
    input.addEventListener("input", () => {
      if (field.words) change(field.key, input.value);
      else if (input.value.trim() !== "") change(field.key, within(field, Number(input.value)));
    });
    input.addEventListener("change", showControls); // a field that was left empty, or beyond its bounds
  }
}

byId("sweep").addEventListener("click", (event) => {
  const bar = event.target.closest("[data-value]");
  if (bar) change(swept, Number(bar.dataset.value));
});

function choosePreset(index) {
  byId("preset").selectedIndex = index;
  const option = byId("preset").selectedOptions[0];
  if (option.value) {
    state = parse(option.dataset.state).state;
    swept = option.parentElement.dataset.slider;
  }
  byId("notice").hidden = true;
  show();
  toAddress();
}
byId("preset").addEventListener("change", () => choosePreset(byId("preset").selectedIndex));
const presetNumber = () => byId("preset").selectedIndex; // from 1 on; 0 for none
byId("previous").addEventListener("click", () => choosePreset(presetNumber() > 1 ? presetNumber() - 1 : presets.length));
byId("next").addEventListener("click", () => choosePreset(presetNumber() < presets.length ? presetNumber() + 1 : 1));

byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("controls").addEventListener("reset", (event) => {
  event.preventDefault();
  state = usual();
  byId("preset").value = "";
  show();
  toAddress();
});

byId("copy").addEventListener("click", async () => {
  const link = `${location.href.split("#")[0]}#${byId("preset").value || addressOf(state)}`;
  try {
    await navigator.clipboard.writeText(link);
    byId("copy").textContent = "Copied";
  } catch {
    history.replaceState(null, "", link);
    byId("copy").textContent = "It is in the address bar";
  }
  setTimeout(() => (byId("copy").textContent = "Copy link"), 2000);
});

addEventListener("hashchange", fromAddress);
document.querySelector("main").hidden = false;
if (location.hash.length > 1) fromAddress();
else choosePreset(1 + presets.findIndex((option) => option.value === "copy_stride/2"));
