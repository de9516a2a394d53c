// SPDX-License-Identifier: Apache-2.0
// This answer beside one that was kept: another setting, or another platform.

import { byId, element, headings, row } from "./element.js";

const ROWS = 10;

function summary(title, question, ranking, lit) {
  const one = ranking.paths.find((each) => each.key === lit) ?? ranking.paths[0];
  return element("div", {}, element("h3", {}, title), element("p", { className: "figure", title: `${one.rate_mb_per_s} MB/s`, data: { seconds: one.seconds } }, one.rate),
    element("p", { className: "soft" }, `${one.path}, ${one.time}, bound by ${one.bound_by}`), element("p", { className: "note" }, question));
}

function words(state, names) {
  const said = ["size", "direction", "os", "fpga_mhz", "consume", "rate", "latency", "processor"].map((name) => state.words.get(name)).filter(Boolean);
  if (state.words.get("stream")) said.push("stream");
  return [...said.map((word) => word.replaceAll("_", " ")), ...[...state.set].map(([name, value]) => `${name} = ${value}`)].join(", ");
}

// here, kept: { state, ranking, title, lit }.
export function showBeside(here, kept, swap, drop) {
  byId("beside").hidden = false;
  const chosen = ({ ranking, lit }) => ranking.paths.find((one) => one.key === lit) ?? ranking.paths[0];
  const ratio = chosen(kept).seconds / chosen(here).seconds;
  const faster = Math.abs(ratio - 1) < 5e-4 ? "Both are as fast."
    : ratio > 1 ? `Here it is ${ratio.toPrecision(4)} times as fast as kept.` : `The kept one is ${(1 / ratio).toPrecision(4)} times as fast.`;
  const parts = [
    element("div", { className: "pair" }, summary(`Here: ${here.title}`, words(here.state), here.ranking, here.lit),
      summary(`Kept: ${kept.title}`, words(kept.state), kept.ranking, kept.lit)),
    element("p", { className: "ratio", data: { ratio } }, faster),
  ];
  const other = new Map(kept.ranking.paths.map((one) => [one.key, one]));
  const shared = here.ranking.paths.filter((one) => other.has(one.key)).slice(0, ROWS);
  if (shared.length && here.title === kept.title) {
    const table = element("table", {}, element("thead"), element("tbody"));
    headings(table, [["way"], ["here", "number"], ["kept", "number"], ["here / kept", "number"]]);
    table.tBodies[0].append(...shared.map((one) => {
      const before = other.get(one.key), factor = before.seconds / one.seconds;
      return row([[one.path], [one.rate, "number", one.rate_mb_per_s], [before.rate, "number", before.rate_mb_per_s], [factor.toPrecision(3), "number", factor]]);
    }));
    parts.push(element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Ways side by side" }, table));
  }
  parts.push(element("p", { className: "tools" }, element("button", { type: "button", on: { click: swap } }, "Swap"), element("button", { type: "button", on: { click: drop } }, "Drop the kept one")));
  byId("beside-body").replaceChildren(...parts);
}

export function hideBeside() {
  byId("beside").hidden = true;
  byId("beside-body").replaceChildren();
}
