// SPDX-License-Identifier: Apache-2.0
// The platform drawn, the path lit, its parts coloured by how busy they are, bytes on their way.

import { byId } from "./element.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
// A microsecond of the transfer lasts a second here; a dot is so many bytes that few are on a wire.
const SLOWED = 1e6, DOTS_PER_SECOND = 6, LEAST_BYTES = 64, SPEED = 110;
const still = matchMedia("(prefers-reduced-motion: reduce)");

let drawn = "", svg = null, wires = [], rate = 0, moving = !still.matches, last = 0, layer = null;

export function showDiagram(platform, told) {
  if (drawn !== platform.diagram) {
    const parsed = new DOMParser().parseFromString(platform.diagram, "image/svg+xml").documentElement;
    svg = document.importNode(parsed, true);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.setAttribute("viewBox", `0 60 ${width} ${height - 60}`);
    const small = width > byId("drawing").clientWidth * 1.2;
    svg.style.minWidth = `${Math.round(width * (small ? 0.56 : 0.8))}px`;
    svg.classList.toggle("small", small);
    for (const box of svg.querySelectorAll(".box")) describe(box, small);
    byId("drawing").replaceChildren(svg);
    drawn = platform.diagram;
  }
  light(told);
}

// What a box says. Drawn small it has its name alone, larger and in two lines; a pointer finds the rest.
const LINE = 15;

function describe(box, small) {
  const texts = [box.nextElementSibling, box.nextElementSibling.nextElementSibling, box.nextElementSibling.nextElementSibling.nextElementSibling];
  const title = document.createElementNS(NAMESPACE, "title");
  title.textContent = texts.map((text) => text.textContent).join("; ");
  box.append(title);
  if (!small) return;
  const name = texts[0], x = name.getAttribute("x"), lines = [""];
  for (const word of name.textContent.split(" ")) {
    if (lines.at(-1) && `${lines.at(-1)} ${word}`.length > LINE) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  name.replaceChildren(...lines.map((line, at) => {
    const span = document.createElementNS(NAMESPACE, "tspan");
    span.setAttribute("x", x);
    span.setAttribute("dy", at ? "19" : "0");
    span.textContent = line;
    return span;
  }));
  name.setAttribute("y", Number(box.getAttribute("y")) + (lines.length > 1 ? 25 : 35));
}

function light(told) {
  const place = new Map(told.way.map((name, at) => [name, at]));
  const most = Math.max(0, ...Object.values(told.busy));
  for (const old of svg.querySelectorAll("text.busy, g.bytes")) old.remove();
  for (const box of svg.querySelectorAll(".box")) {
    const name = box.dataset.component, busy = told.busy[name];
    const on = place.has(name);
    box.classList.toggle("on", on || busy > 0);
    box.classList.toggle("bound", busy > 0 && busy === most && busy > 0.5);
    box.style.setProperty("--busy", Math.min(busy || 0, 1));
    box.dataset.busy = busy ?? "";
    if (busy === undefined) continue;
    const label = document.createElementNS(NAMESPACE, "text");
    label.setAttribute("class", "busy");
    label.setAttribute("x", Number(box.getAttribute("x")) + Number(box.getAttribute("width")));
    label.setAttribute("y", Number(box.getAttribute("y")) - 5);
    label.textContent = busy >= 0.0995 ? `${(100 * busy).toFixed(0)} %` : `${(100 * busy).toPrecision(2)} %`;
    box.after(label);
  }
  layer = document.createElementNS(NAMESPACE, "g");
  layer.setAttribute("class", "bytes");
  wires = [];
  for (const wire of svg.querySelectorAll(".wire")) {
    const from = place.get(wire.dataset.from), to = place.get(wire.dataset.to);
    const on = from !== undefined && to !== undefined;
    wire.classList.toggle("on", on);
    if (!on) continue;
    // The master takes the bytes where it stands at the end of the path, and gives them at its begin.
    const away = from === 0 ? to !== told.way.length - 1 || told.way.length === 2 : from < to;
    const length = wire.getTotalLength(), steps = Math.max(2, Math.ceil(length / 6));
    const points = Array.from({ length: steps + 1 }, (_, at) => wire.getPointAtLength(length * at / steps));
    wires.push({ points: away ? points : points.reverse(), length, dots: [], due: 0 });
  }
  // Below the boxes, so that the bytes go into them.
  svg.insertBefore(layer, svg.querySelector(".box"));
  let bytes = LEAST_BYTES;
  while (told.bytes_per_second / SLOWED / bytes > DOTS_PER_SECOND) bytes *= 2;
  rate = told.bytes_per_second / SLOWED / bytes;
  byId("pace").textContent = `Percentages: how busy a part is. A dot is ${bytes} B; a microsecond takes a second.`;
  for (const wire of wires) fill(wire);
  place_all();
}

// As many dots as would be on the wire by now.
function fill(wire) {
  const gap = SPEED / rate;
  for (let at = 0; at < wire.length; at += gap) dot(wire, at);
  wire.due = 0;
}

function dot(wire, at) {
  const made = document.createElementNS(NAMESPACE, "circle");
  made.setAttribute("class", "byte");
  made.setAttribute("r", "4");
  layer.append(made);
  wire.dots.push({ made, at });
}

function place_all() {
  for (const wire of wires) {
    for (const one of wire.dots) {
      const at = Math.max(0, Math.min(1, one.at / wire.length)) * (wire.points.length - 1);
      const low = Math.floor(at), high = Math.min(low + 1, wire.points.length - 1), part = at - low;
      const a = wire.points[low], b = wire.points[high];
      one.made.setAttribute("transform", `translate(${(a.x + part * (b.x - a.x)).toFixed(1)} ${(a.y + part * (b.y - a.y)).toFixed(1)})`);
    }
  }
}

function frame(now) {
  const passed = Math.min((now - last) / 1000, 0.1);
  last = now;
  for (const wire of wires) {
    for (const one of wire.dots) one.at += passed * SPEED;
    while (wire.dots.length && wire.dots[0].at >= wire.length) {
      const ended = wire.dots.shift();
      ended.made.remove();
    }
    wire.due += passed * rate;
    while (wire.due >= 1) { wire.due -= 1; wire.dots.sort((a, b) => b.at - a.at); dot(wire, wire.due / rate * SPEED); }
  }
  place_all();
  if (moving) requestAnimationFrame(frame);
}

function told_motion() {
  byId("motion").textContent = moving ? "Hold still" : "Let move";
  byId("motion").setAttribute("aria-pressed", String(moving));
}

export function startMotion() {
  const turn = (on) => {
    const before = moving;
    moving = on;
    told_motion();
    if (on && !before) { last = performance.now(); requestAnimationFrame(frame); }
  };
  byId("motion").addEventListener("click", () => turn(!moving));
  still.addEventListener("change", () => turn(!still.matches));
  told_motion();
  last = performance.now();
  if (moving) requestAnimationFrame(frame);
}

export const diagramElement = () => svg;
