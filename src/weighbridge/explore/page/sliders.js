// SPDX-License-Identifier: Apache-2.0
// A platform's numbers as sliders, those that matter first, each with its source and range.

import { byId, element } from "./element.js";

const FIRST = 9, PARTS = 400;

let rows = [], shown = FIRST, change = null;

export function startSliders(changed) {
  change = changed;
  byId("find").addEventListener("input", () => draw(current));
  byId("more").addEventListener("click", () => { shown = shown === FIRST ? Infinity : FIRST; draw(current); });
  byId("reset").addEventListener("click", () => { change(null); draw(current); });
}

let current = new Map();

export function showSliders(told, set) {
  rows = told.parameters;
  draw(set);
}

// Marks what is changed, and puts the thumbs where the address says.
export function markSliders(set) {
  current = set;
  byId("reset").hidden = set.size === 0;
  for (const one of byId("sliders").children) {
    const parameter = rows.find((each) => each.name === one.dataset.name);
    const text = set.get(parameter.name);
    one.classList.toggle("changed", text !== undefined);
    const field = one.querySelector("input:not([type=range])"), range = one.querySelector("input[type=range]");
    const value = text === undefined ? parameter.own : Number.parseFloat(text);
    if (document.activeElement !== field) field.value = text ?? number(parameter.own);
    if (document.activeElement !== range && Number.isFinite(value)) range.value = place(parameter, value);
  }
}

function draw(set) {
  const wanted = byId("find").value.trim().toLowerCase();
  const found = rows.filter((one) => !wanted || `${one.name} ${one.meaning} ${one.source}`.toLowerCase().includes(wanted));
  const seen = wanted ? found : found.filter((one, at) => at < shown || set.has(one.name));
  byId("sliders").replaceChildren(...seen.map(slider));
  byId("more").hidden = Boolean(wanted) || found.length <= FIRST;
  byId("more").textContent = shown === FIRST ? `All ${found.length} numbers` : "Only those that matter most";
  markSliders(set);
}

function slider(one) {
  const effect = one.effect === null ? "no effect here"
    : `${one.steps.length ? "a step" : "+10 %"} changes the time by ${one.effect > 0 ? "+" : ""}${(100 * one.effect).toPrecision(2)} %`;
  const name = `${one.name}${one.unit ? ` in ${one.unit}` : ""}`;
  const range = element("input", { type: "range", "aria-label": name, min: 0, max: one.steps.length ? one.steps.length - 1 : PARTS, step: 1 });
  range.disabled = one.low >= one.high;
  const field = element("input", { autocomplete: "off", "aria-label": `${name}, typed` });
  const about = [one.meaning, `${ended(one.least)} to ${ended(one.most)} ${one.unit}`.trim(), `own ${number(one.own)}`, one.source];
  range.addEventListener("input", (event) => {
    const value = valueAt(one, Number(range.value));
    field.value = number(value);
    change(one.name, value === one.own ? null : number(value), event);
  });
  field.addEventListener("change", (event) => change(one.name, field.value.trim() === "" ? null : field.value.trim(), event));
  return element("div", { className: "slider", data: { name: one.name } },
    element("span", { className: "name" }, element("b", {}, one.name), element("span", { className: "soft" }, effect)),
    range, field, element("span", { className: "soft" }, one.unit),
    element("span", { className: "about" }, about.filter(Boolean).join("; ")));
}

const ended = (value) => value >= 1e6 ? value.toExponential().replace("+", "") : number(value);

// As few digits as give the number back.
function number(value) {
  const short = Number(value.toPrecision(6));
  return String(short === value ? short : value);
}

// Values go in ratios, but for those that begin at nothing.
function valueAt(one, at) {
  if (one.steps.length) return one.steps[at];
  const part = at / PARTS;
  const value = one.low > 0 ? one.low * (one.high / one.low) ** part : one.low + (one.high - one.low) * part;
  if (one.whole) return Math.round(value);
  const kept = Number(value.toPrecision(3));
  // Where the thumb is nearest to it stands the file's own value.
  return Math.abs(place(one, one.own) - at) < 0.5 ? one.own : Math.min(one.high, Math.max(one.low, kept));
}

function place(one, value) {
  if (one.steps.length) {
    return one.steps.reduce((best, step, at) => Math.abs(step - value) < Math.abs(one.steps[best] - value) ? at : best, 0);
  }
  const part = one.low > 0 ? Math.log(value / one.low) / Math.log(one.high / one.low) : (value - one.low) / (one.high - one.low);
  return PARTS * part;
}
