// SPDX-License-Identifier: Apache-2.0
// The page: what moves, what is asked for it, what is shown. An answer that is not of the question
// on the page any more is dimmed until the new one is there.

import { showAnswer, showWhere } from "./answer.js";
import { Move, Refused, setup } from "./ask.js";
import { hideBeside, showBeside } from "./beside.js";
import { showCurves } from "./curves.js";
import { showDiagram, startMotion } from "./diagram.js";
import { byId, element } from "./element.js";
import { lightRow, showRanking, showTurns, startRanking } from "./ranking.js";
import { markSliders, showSliders, startSliders } from "./sliders.js";
import { address, question, read } from "./state.js";
import { startTaking } from "./take.js";
import { showTimeline, startTimeline } from "./timeline.js";

// What takes longer is asked for when nothing has moved for so many milliseconds.
const REST = 220;
// An answer under way is given up for a newer move after so many: a drag shows what it passes.
const PATIENCE = 120;
const FORM = ["size", "direction", "os", "fpga_mhz", "stream", "consume", "rate", "latency", "depth", "streams", "duplex", "processor"];

let told = null, state = null, number = 0, resting = 0;
let ranking = null, path = null, kept = null, keptFor = null, sorted = "", busySince = 0, waiting = null;

const platform = () => told.platforms.find((one) => one.name === state.words.get("platform")) ?? told.platforms[0];
const old = (names, on) => { for (const name of names) byId(name).classList.toggle("old", on); };

// One move: the address changes, and everything is asked anew. event: what caused it, to be timed.
function move(event = null, patience = true) {
  history.replaceState(null, "", address(state));
  markSliders(state.set);
  if (patience && busySince && performance.now() - busySince < PATIENCE) { waiting = event ?? {}; return; }
  waiting = null;
  void answer(new Move(++number), event);
}

async function answer(now, event) {
  clearTimeout(resting);
  busySince = performance.now();
  old(["answer", "ranking", "diagram", "where", "timeline", "curves"], true);
  try {
    await quick(now, event);
    resting = setTimeout(() => void slow(now).catch(refuse(now)), REST);
  } catch (error) {
    refuse(now)(error);
  } finally {
    if (now.current) {
      busySince = 0;
      if (waiting) move(waiting.timeStamp ? waiting : null);
    }
  }
}

async function quick(now, event) {
  // The way looked at so far is asked for beside the ranking, which takes longer.
  const looked = state.words.get("path") ?? path?.key;
  const early = looked === undefined ? null : one(now, looked).then((got) => {
    if (got && now.current) {
      path = got;
      showPath(got);
      painted(now, event, "weighbridge path");
    }
    return got;
  }).catch((error) => { if (error instanceof Refused) return null; throw error; });
  const whole = await now.ask("ranking", state);
  const first = await early;
  if (!now.current || !whole) return;
  byId("error").hidden = true;
  ranking = whole;
  const keys = new Set(whole.paths.map((each) => each.key));
  if (state.words.has("path") && !keys.has(state.words.get("path"))) {
    state.words.delete("path");
    history.replaceState(null, "", address(state));
  }
  const lit = state.words.get("path") ?? whole.paths[0].key;
  const answered = first?.key === lit ? first : await one(now, lit);
  if (!now.current || !answered) return;
  showRanking(whole, lit, look);
  old(["ranking"], false);
  if (answered !== first) showPath(answered);
  path = answered;
  await beside(now);
  painted(now, event, "weighbridge ranking");
}

const one = (now, key) => now.ask("path", { ...state, words: new Map([...state.words, ["path", key]]) });

function showPath(answered) {
  showAnswer(answered);
  showWhere(answered);
  showDiagram(platform(), answered);
  old(["answer", "diagram", "where"], false);
  document.title = `${answered.rate}, ${state.words.get("size")}, ${state.words.get("platform")}`;
}

// After the next frame is on the screen: from the event to the paint, for whoever measures it.
function painted(now, event, what) {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      if (event?.timeStamp) performance.measure(what, { start: event.timeStamp, end: performance.now() });
      if (what === "weighbridge ranking") document.documentElement.dataset.answered = String(now.number);
    };
    port2.postMessage(null);
  });
}

async function slow(now) {
  const looking = { ...state, words: new Map([...state.words, ["path", path.key]]) };
  const parts = [
    now.ask("timeline", looking).then((got) => {
      if (now.current) byId("timeline").hidden = !got && !told.live;
      if (got) { showTimeline(got); old(["timeline"], false); }
    }),
    now.ask("turns", state).then((got) => { if (got) showTurns(got); }),
  ];
  // Sliders keep their places while they are dragged.
  const about = `${question(looking).getAll("set").length ? "" : "own "}${[...looking.words].join(" ")}`;
  if (told.live && sorted !== about && (state.set.size === 0 || sorted === "" || sorted.replace(/^own /, "") !== about.replace(/^own /, ""))) {
    parts.push(now.ask("parameters", looking).then((got) => { if (got) { showSliders(got, state.set); sorted = about; } }));
  }
  await Promise.all(parts);
  const got = await now.ask("curves", looking);
  if (got) { await showCurves(got, path.key, path.point.size_bytes, () => now.current); old(["curves"], false); }
  if (now.current) document.documentElement.dataset.rested = String(now.number);
}

const refuse = (now) => (error) => {
  if (!now.current) return;
  if (!(error instanceof Refused)) throw error;
  byId("error").textContent = error.message;
  byId("error").hidden = false;
  document.documentElement.dataset.answered = String(now.number);
};

async function beside(now) {
  if (!state.beside) { hideBeside(); return; }
  if (keptFor !== state.beside) {
    const other = read(state.beside);
    const got = await now.ask("ranking", other);
    if (!got) return;
    const title = told.platforms.find((each) => each.name === other.words.get("platform"))?.title;
    kept = { state: other, ranking: got, title, lit: other.words.get("path") };
    keptFor = state.beside;
  }
  const here = { state, ranking, title: platform().title, lit: state.words.get("path") };
  showBeside(here, kept, () => {
    const back = question(state).toString();
    const query = state.beside;
    state = read(query);
    state.beside = back;
    sorted = "";
    fill();
    move(null, false);
  }, () => { state.beside = ""; hideBeside(); history.replaceState(null, "", address(state)); });
}

function look(key) {
  state.words.set("path", key);
  lightRow(key);
  move(null, false);
}

// A word of the question from a field; empty: not said.
function say(name, value, event) {
  if (value === "") state.words.delete(name); else state.words.set(name, value);
  if (name === "stream") {
    byId("stream-only").hidden = value === "";
    if (value === "") for (const lone of ["depth", "streams", "duplex"]) { state.words.delete(lone); byId("question").elements[lone].value = ""; }
  }
  move(event);
}

const sizeText = (bytes) => bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}MiB` : bytes % 2 ** 10 === 0 ? `${bytes / 2 ** 10}KiB` : `${bytes}B`;
const sizeAt = (place) => { const bytes = 2 ** (place / 4); return bytes < 64 ? Math.round(bytes) : Math.round(bytes / 8) * 8; };
function bytesOf(text) {
  const found = /^\s*([\d.]+)\s*([kKMG]?i?B?)\s*$/.exec(text ?? "");
  const units = { "": 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, kB: 1e3, MB: 1e6, GB: 1e9 };
  return found && units[found[2]] ? Number(found[1]) * units[found[2]] : null;
}

// The form as the state has it.
function fill() {
  const fields = byId("question").elements, chosen = platform();
  byId("platform").value = chosen.name;
  byId("os").replaceChildren(...(chosen.os.length > 1 || !chosen.os.length ? [element("option", { value: "" }, chosen.os.length ? "any" : "its own")] : []),
    ...chosen.os.map(([name, text]) => element("option", { value: name }, text)));
  if (chosen.os.length === 1) byId("os").value = chosen.os[0][0];
  for (const name of FORM) if (!(name === "os" && chosen.os.length === 1)) fields[name].value = state.words.get(name) ?? "";
  byId("clock").hidden = chosen.fpga_mhz === null;
  fields.fpga_mhz.placeholder = String(chosen.fpga_mhz ?? "");
  byId("clock-range").value = state.words.get("fpga_mhz") ?? chosen.fpga_mhz ?? 100;
  byId("stream-only").hidden = !state.words.has("stream");
  byId("size-range").max = 4 * Math.floor(Math.log2(Math.min(chosen.memory_bytes, 2 ** 30)));
  const bytes = bytesOf(state.words.get("size"));
  if (!told.live) fillGrid();
  else if (bytes) byId("size-range").value = Math.round(4 * Math.log2(bytes));
}

// Of an export: the sizes that it has, and nothing that it was not asked for.
function fillGrid() {
  const fields = byId("question").elements;
  for (const name of FORM) if (!told.axes.includes(name)) fields[name].closest("label").hidden = true;
  for (const name of ["parameters", "stream-only"]) byId(name).hidden = true;
  fields.size.readOnly = true;
  byId("size-range").min = 0;
  byId("size-range").max = told.sizes.length - 1;
  byId("size-range").value = told.sizes.indexOf(state.words.get("size"));
}

function startForm() {
  const form = byId("question");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const { name, value } = event.target;
    if (!name) return;
    say(name, value.trim(), event);
    const bytes = name === "size" && bytesOf(value);
    if (bytes) byId("size-range").value = Math.round(4 * Math.log2(bytes));
    if (name === "fpga_mhz" && Number.parseFloat(value)) byId("clock-range").value = Number.parseFloat(value);
  });
  byId("size-range").addEventListener("input", (event) => {
    const at = Number(event.target.value), text = told.live ? sizeText(sizeAt(at)) : told.sizes[at];
    form.elements.size.value = text; say("size", text, event);
  });
  byId("clock-range").addEventListener("input", (event) => { form.elements.fpga_mhz.value = event.target.value; say("fpga_mhz", event.target.value, event); });
  byId("platform").addEventListener("change", (event) => {
    // What another platform does not have is left behind.
    const before = platform().usual;
    for (const name of ["path", "os", "fpga_mhz"]) state.words.delete(name);
    state.set.clear();
    state.words.set("platform", event.target.value);
    // What nobody has changed is the other's own.
    for (const [name, value] of Object.entries(platform().usual)) if (state.words.get(name) === before[name]) state.words.set(name, value);
    sorted = "";
    path = null;
    fill();
    move(event, false);
  });
  byId("keep").addEventListener("click", () => { state.beside = question({ ...state, words: new Map([...state.words, ["path", path.key]]) }).toString(); keptFor = null; move(null, false); });
}

function changed(name, value, event) {
  if (name === null) state.set.clear();
  else if (value === null) state.set.delete(name);
  else state.set.set(name, value);
  move(event);
}

async function start() {
  told = await setup();
  state = read(location.search);
  if (!state.words.has("platform")) state.words.set("platform", told.start);
  for (const [name, value] of Object.entries(told.usual ?? platform().usual)) if (!state.words.has(name)) state.words.set(name, value);
  byId("platform").append(...told.platforms.map((each) => element("option", { value: each.name }, each.title)));
  byId("offline").textContent = told.live ? "No request leaves this machine."
    : "This copy has the answers of some questions; with weighbridge explore every number moves.";
  startForm();
  startRanking();
  startSliders(changed);
  startTimeline();
  startMotion();
  startTaking(() => ({ ranking, path }), told.live ? async () => new Move(++number).ask("platform_file", state) : null);
  window.addEventListener("popstate", () => { state = read(location.search); fill(); move(null, false); });
  fill();
  move(null, false);
}

start().catch((error) => {
  byId("error").textContent = error instanceof Refused ? error.message : `the page cannot start: ${error.message}`;
  byId("error").hidden = false;
});
