// SPDX-License-Identifier: Apache-2.0
// Every way, best first; a click looks at one.

import { byId, element, headings, row } from "./element.js";

// Rows shown until all are asked for, as the command has it.
const FIRST = 12;
let all = false;

export function startRanking() {
  byId("all-ways").addEventListener("click", () => {
    all = !all;
    shorten();
  });
}

function shorten() {
  const rows = [...byId("ranking").querySelectorAll("tbody tr")];
  rows.forEach((one, at) => { one.hidden = !all && at >= FIRST && !one.classList.contains("lit"); });
  byId("all-ways").hidden = rows.length <= FIRST;
  byId("all-ways").textContent = all ? `Only the first ${FIRST}` : `All ${rows.length} ways`;
}

export function showRanking(told, lit, look) {
  const table = byId("ranking").querySelector("table");
  const systems = new Set(told.paths.map((one) => one.os)).size > 1;
  const bound = told.paths.some((one) => one.margin !== null);
  const waits = told.paths.some((one) => !one.in_time || one.latency_seconds !== one.seconds);
  headings(table, [["#", "number"], ["way"], ...(systems ? [["system"]] : []), ["rate", "number"],
    [told.paths[0].flow === "steady" ? "period" : "time", "number"], ...(waits ? [["latency", "number"]] : []),
    bound ? ["margin", "number"] : ["of ceiling", "number"], ["processor", "number"], ["bound by"]]);
  const most = Math.max(...told.paths.map((one) => one.rate_mb_per_s));
  const focused = document.activeElement?.dataset?.key;
  let above = 0;
  const rows = told.paths.map((one) => {
    const name = element("button", { type: "button", data: { key: one.key }, "aria-pressed": String(one.key === lit),
      title: one.unchecked || "", on: { click: () => look(one.key) } }, one.path + (one.unchecked ? " *" : ""));
    const made = row([
      [one.rank === above ? "=" : String(one.rank), "number"], [name, "path"], ...(systems ? [[one.os]] : []),
      [one.rate, "number rate", `${one.rate_mb_per_s} MB/s`], [one.time, "number", `${one.seconds} s`],
      ...(waits ? [[one.latency + (one.in_time ? "" : " !"), "number", `${one.latency_seconds} s`]] : []),
      bound ? [one.margin === null ? "" : `${one.margin >= 0 ? "+" : ""}${(100 * one.margin).toFixed(0)} %`, "number", one.margin]
        : [one.share, "number", one.ceiling_share],
      [one.processor, "number", one.processor_share], [one.bound_by],
    ], { className: [one.key === lit ? "lit" : "", one.holds ? "" : "no"].join(" ").trim(),
      data: { key: one.key, seconds: one.seconds } });
    made.querySelector(".rate").style.setProperty("--part", one.rate_mb_per_s / most);
    above = one.rank;
    return made;
  });
  table.tBodies[0].replaceChildren(...rows);
  shorten();
  if (focused) table.querySelector(`button[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  const notes = [`Highest ceiling ${told.ceiling}.`];
  if (told.paths.some((one) => one.tie)) notes.push("=: as fast as the numbered row within both errors; least processor time first.");
  if (told.paths.some((one) => !one.in_time)) notes.push("!: longer than a block may take.");
  for (const text of new Set(told.paths.map((one) => one.unchecked).filter(Boolean))) notes.push(`*: ${text}.`);
  if (told.note) notes.push(told.note);
  byId("ranking-note").textContent = notes.join(" ");
}

// Lights another row without drawing the table anew.
export function lightRow(lit) {
  for (const one of byId("ranking").querySelectorAll("tbody tr")) {
    one.classList.toggle("lit", one.dataset.key === lit);
    one.querySelector("button").setAttribute("aria-pressed", String(one.dataset.key === lit));
  }
  shorten();
}

export function showTurns(told) {
  const turns = told.turns.map((turn) => `from ${turn.from} ${turn.path}`).join("; ");
  byId("turns").replaceChildren(
    element("p", {}, `Fastest up to ${told.reach}: ${turns}.`),
    ...told.answers.slice(1).map((line) => element("p", {}, line)),
  );
}
