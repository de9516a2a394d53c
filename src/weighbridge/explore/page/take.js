// SPDX-License-Identifier: Apache-2.0
// What can be taken away: tables, pictures, the changed platform, the command of the same answer.

import { byId, element } from "./element.js";
import { chartView } from "./curves.js";
import { diagramElement } from "./diagram.js";

function save(name, content, type) {
  const link = element("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A cell as RFC 4180 has it; a text that a spreadsheet would take for a formula is kept one.
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(rows) {
  const names = Object.keys(rows[0]);
  return [names, ...rows.map((one) => names.map((name) => one[name]))].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

function rankingRows(told) {
  const own = ["rank", "tie", "path", "flow", "rate_mb_per_s", "seconds", "ceiling_share", "bound_by", "processor_share",
    "processor_seconds_per_byte", "latency_seconds", "margin", "in_time", "error", "unchecked", "simulated_bytes"];
  return told.paths.map((one) => Object.fromEntries([...own.map((name) => [name, one[name]]), ...Object.entries(one.point)]));
}

// The diagram by itself: what the page's style sheet says stands in its elements.
function standalone() {
  const copy = diagramElement().cloneNode(true);
  const live = [diagramElement(), ...diagramElement().querySelectorAll("*")], made = [copy, ...copy.querySelectorAll("*")];
  live.forEach((one, at) => {
    const style = getComputedStyle(one);
    for (const name of ["fill", "stroke", "stroke-width", "font-size", "font-weight", "font-family", "text-anchor"]) made[at].style.setProperty(name, style.getPropertyValue(name));
    if (style.display === "none") made[at].style.display = "none";
  });
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.style.minWidth = "";
  copy.querySelector(".ground").style.fill = getComputedStyle(document.documentElement).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

async function picture(text) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = element("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// told(): the answers on the page; file(): the changed platform's, or nothing in an export.
export function startTaking(told, file) {
  const said = element("li", { className: "note", role: "status" });
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); said.textContent = `copied: ${text}`; } catch { said.textContent = text; }
  };
  const chart = async () => `${await chartView().toSVG()}`;
  const items = [
    ["Ranking as CSV", () => save("ranking.csv", csv(rankingRows(told().ranking)), "text/csv")],
    ["This way by component, as CSV", () => save("path.csv", csv(told().path.hops.map(({ busy, waiting, ...rest }) => rest)), "text/csv")],
    ["Diagram as SVG", () => save("diagram.svg", standalone(), "image/svg+xml")],
    ["Diagram as PNG", async () => save("diagram.png", await picture(standalone()))],
    ["Curves as SVG", async () => save("curves.svg", await chart(), "image/svg+xml")],
    ["Curves as PNG", async () => save("curves.png", await picture(await chart()))],
    ...(file ? [["Platform with the changes", async () => { const made = await file(); if (made) save(made.name, made.text, "application/toml"); }]] : []),
    ["Command of the ranking", () => copy(told().ranking.command)],
    ["Command of this way", () => copy(told().path.command)],
    ["Link to this page", () => copy(location.href)],
  ];
  byId("take-list").replaceChildren(...items.map(([text, does]) => element("li", {}, element("button", { type: "button",
    on: { click: async () => { try { await does(); } catch (error) { said.textContent = `not there yet: ${error.message}`; } } } }, text))), said);
  byId("take").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { byId("take").open = false; byId("take").querySelector("summary").focus(); }
  });
  document.addEventListener("click", (event) => { if (!byId("take").contains(event.target)) byId("take").open = false; });
}
