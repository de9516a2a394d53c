// SPDX-License-Identifier: Apache-2.0
// The answer in a glance, and where its time goes.

import { byId, element, headings, row } from "./element.js";

const HUES = ["#5b7fa6", "#c07f3a", "#6f9a6c", "#a96b8f", "#8a8a8a", "#b9a03c", "#5aa3a3", "#9a6f5a"];

export function showAnswer(told) {
  const steady = told.flow === "steady" ? "each" : "";
  const figure = element("p", { className: "figure", title: `${told.rate_mb_per_s} MB/s`, data: { rate: told.rate_mb_per_s, seconds: told.seconds } },
    told.rate, element("small", { title: `${told.seconds} s` }, `${told.time} ${steady}  ·  ${told.share} of ${told.ceiling}`));
  const bound = element("p", { className: "bound", data: { bound: told.bound_by } }, "Bound by ", element("b", {}, told.bound_by), `, ${told.bound_share} of the time.`);
  if (told.without) {
    const faster = told.gain >= 1.05 ? `${told.gain.toFixed(1)} times as fast` : "hardly faster";
    bound.append(` Without it ${told.without}, ${faster}, then bound by ${told.next_bound}.`);
  }
  const error = told.error === null ? "The model's own error on this way was not measured."
    : `Model's own error on this way: ${(100 * told.error).toPrecision(2)} %.`;
  const notes = [error];
  if (told.unchecked) notes.push(`${told.unchecked}.`);
  if (told.simulated_bytes) notes.push(`Extrapolated from its first ${told.simulated_bytes} bytes, within 0.5 %.`);
  byId("answer").replaceChildren(figure, element("p", { className: "way" }, told.path), bound,
    element("p", { className: "soft" }, notes.join(" ")));
}

export function showWhere(told) {
  const all = told.phases.filter((phase) => phase.seconds > 0);
  const stack = element("div", { className: "stack", "aria-hidden": "true" });
  const key = element("ul", { className: "key" });
  all.forEach((phase, number) => {
    const hue = HUES[number % HUES.length];
    const part = element("i", { title: `${phase.name}: ${phase.seconds} s` });
    part.style.background = hue;
    part.style.flex = String(phase.share);
    stack.append(part);
    const mark = element("i");
    mark.style.background = hue;
    const share = phase.share >= 0.0995 ? (100 * phase.share).toFixed(0) : (100 * phase.share).toPrecision(2);
    key.append(element("li", { data: { seconds: phase.seconds } }, mark, element("span", {}, phase.name + (phase.processor ? ", processor busy" : "")),
      element("span", { title: `${phase.seconds} s` }, phase.time), element("span", { title: String(phase.share) }, `${share} %`)));
  });
  byId("phases").replaceChildren(stack, key);
  const table = byId("hops");
  headings(table, [["component"], ["accesses", "number"], ["moved", "number"], ["busy", "number"], ["waiting", "number"]]);
  const rows = [];
  let phase = "";
  for (const hop of told.hops) {
    if (hop.phase !== phase) rows.push(row([[hop.phase], [""], [""], [""], [""]], { className: "phase" }));
    phase = hop.phase;
    rows.push(row([[hop.title], [String(hop.transactions), "number"], [`${hop.bytes} B`, "number"],
      [hop.busy, "number", `${hop.busy_seconds} s`], [hop.waiting, "number", `${hop.waiting_seconds} s`]]));
  }
  table.tBodies[0].replaceChildren(...rows);
}
