// SPDX-License-Identifier: Apache-2.0
// Each access at each component over time: a lane a component, stalls hatched before the accesses.

import { byId } from "./element.js";

const LANE = 22, TOP = 46, FIRST = 4e6, LEAST = 2000;

let told = null, from = 0, to = 1, picked = null, grabbed = null;

const canvas = () => byId("lanes");
const labels = () => (canvas().clientWidth < 600 ? 104 : 190);

export function showTimeline(answer) {
  told = answer;
  picked = null;
  byId("slice").textContent = "Point at an access, or step from one to the next with comma and full stop.";
  first();
  const transfers = told.transfers === 1 ? "" : `${told.transfers.toPrecision(4)} transfers of a steady flow. `;
  const sums = told.lanes.length ? "" : "No component is told apart on this way. ";
  const cut = told.dropped ? `${told.dropped} later accesses are left out; weighbridge explain --trace has them.` : "";
  byId("timeline-note").textContent = "Blue: reads; brown: writes; dots: held back. " + transfers + sums + cut;
}

function end() {
  const phases = told.phases.map(([start, long]) => start + long);
  const slices = told.lanes.flatMap((lane) => lane.slices.length ? [lane.slices.at(-1)[0] + lane.slices.at(-1)[1]] : []);
  return Math.max(1, ...phases, ...slices);
}

function first() {
  const starts = told.lanes.filter((lane) => lane.slices.length).map((lane) => lane.slices[0][0]);
  const begin = starts.length ? Math.min(...starts) : 0;
  look(begin - 0.03 * FIRST, begin + Math.min(FIRST, Math.max(LEAST, end() - begin)));
}

function look(begin, until) {
  const most = end(), long = Math.min(Math.max(until - begin, LEAST), most * 1.04);
  from = Math.max(-0.02 * most, Math.min(begin, most * 1.02 - long));
  to = from + long;
  draw();
}

function zoom(factor, at = (from + to) / 2) { look(at - (at - from) * factor, at + (to - at) * factor); }
function pan(part) { look(from + part * (to - from), to + part * (to - from)); }

function time(picoseconds) {
  const span = Math.abs(picoseconds);
  return span >= 1e6 ? `${(picoseconds / 1e6).toPrecision(5)} us` : `${(picoseconds / 1e3).toPrecision(4)} ns`;
}

export function draw() {
  if (!told) return;
  const made = canvas(), scale = devicePixelRatio || 1, width = made.clientWidth;
  const height = TOP + told.lanes.length * LANE + 6;
  made.style.height = `${height}px`;
  made.width = Math.round(width * scale);
  made.height = Math.round(height * scale);
  const paint = made.getContext("2d"), style = getComputedStyle(document.documentElement);
  // A value of light-dark() has to be worked out by an element.
  const probe = document.createElement("i");
  document.body.append(probe);
  const colour = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const [ink, soft, hair, read, write, bar] = ["--ink", "--soft", "--hair", "--read", "--write", "--bar"].map(colour);
  probe.remove();
  paint.scale(scale, scale);
  paint.font = `12px ${style.fontFamily}`;
  paint.textBaseline = "middle";
  const left = labels(), across = width - left, x = (at) => left + (at - from) / (to - from) * across;
  // The axis: ticks at round times.
  const rough = (to - from) / Math.max(3, across / 110), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((unit) => unit * power).find((unit) => unit >= rough);
  for (let tick = Math.ceil(Math.max(from, 0) / step) * step; tick <= to; tick += step) {
    paint.fillStyle = hair;
    paint.fillRect(Math.round(x(tick)), 16, 1, height - 16);
    paint.fillStyle = soft;
    paint.fillText(step >= 1e5 ? `${Number((tick / 1e6).toFixed(3))} us` : `${Number((tick / 1e3).toFixed(3))} ns`, x(tick) + 3, 8);
  }
  paint.save();
  paint.beginPath();
  paint.rect(left, 0, across, height);
  paint.clip();
  for (const [start, long, name] of told.phases) {
    if (start + long < from || start > to) continue;
    const begin = Math.max(x(start), left), wide = Math.min(x(start + long), width) - begin;
    paint.fillStyle = bar;
    paint.fillRect(begin, 20, Math.max(wide - 1, 1), 18);
    paint.fillStyle = ink;
    if (wide > paint.measureText(name).width + 8) paint.fillText(name, begin + 4, 29);
  }
  told.lanes.forEach((lane, number) => {
    const y = TOP + number * LANE;
    paint.fillStyle = hair;
    paint.fillRect(left, y + LANE - 2, across, 1);
    let drawnTo = -1;
    for (const slice of lane.slices) {
      const [start, long, waited, , writes] = slice;
      if (start - waited > to) break;
      if (start + long < from) continue;
      const begin = x(start), wide = Math.max(x(start + long) - begin, 1);
      if (waited) {
        const stalled = x(start - waited);
        paint.fillStyle = soft;
        for (let at = Math.max(stalled, left); at < Math.min(begin, width); at += 4) paint.fillRect(at, y + 9, 2, 2);
      }
      // What is narrower than a pixel is drawn once for each of them.
      if (begin + wide <= drawnTo) continue;
      drawnTo = begin + wide;
      paint.fillStyle = writes ? write : read;
      paint.globalAlpha = long ? 1 : 0.6;
      paint.fillRect(begin, y + 3, wide > 3 ? wide - 1 : wide, LANE - 8);
      paint.globalAlpha = 1;
      if (picked && picked.lane === number && picked.slice === slice) {
        paint.strokeStyle = ink;
        paint.lineWidth = 2;
        paint.strokeRect(begin - 1, y + 2, wide + 2, LANE - 6);
      }
    }
  });
  paint.restore();
  told.lanes.forEach((lane, number) => {
    const y = TOP + number * LANE + 10;
    paint.fillStyle = ink;
    let title = lane.title;
    while (title.length > 3 && paint.measureText(title).width > left - 8) title = `${title.slice(0, -2)}…`;
    paint.fillText(title, 0, y);
  });
}

// What held an access back: what occupied its component meanwhile.
function cause(lane, slice) {
  const [start, , waited] = slice;
  if (!waited) return "It did not wait.";
  const others = told.lanes.filter((one) => one.component === lane.component)
    .flatMap((one) => one.slices).filter((one) => one !== slice && one[1] && one[0] < start && one[0] + one[1] > start - waited);
  const text = `It waited ${time(waited)} before`;
  if (!others.length) return `${text}, with nothing else at the component: for a clock edge, a refresh, or what is further down.`;
  const [, long, , bytes, writes] = others.at(-1);
  const more = others.length > 1 ? ` and ${others.length - 1} before it` : "";
  return `${text}, while the component was busy with a ${writes ? "write" : "read"} of ${bytes} B (${time(long)})${more}.`;
}

function pick(lane, slice) {
  picked = { lane, slice };
  const [start, long, , bytes, writes] = slice, of = told.lanes[lane];
  byId("slice").textContent = `${of.title}: ${writes ? "write" : "read"} of ${bytes} B at ${time(start)}, `
    + `${long ? `occupies it for ${time(long)}` : "only passes"}. ${cause(of, slice)}`;
  draw();
}

function stepTo(direction) {
  const all = told.lanes.flatMap((lane, number) => lane.slices.map((slice) => ({ lane: number, slice })))
    .sort((a, b) => a.slice[0] - b.slice[0] || a.lane - b.lane);
  if (!all.length) return;
  const at = picked ? all.findIndex((one) => one.slice === picked.slice) + direction : all.findIndex((one) => one.slice[0] >= from);
  const next = all[Math.max(0, Math.min(all.length - 1, at))];
  if (next.slice[0] < from || next.slice[0] > to) look(next.slice[0] - (to - from) / 2, next.slice[0] + (to - from) / 2);
  pick(next.lane, next.slice);
}

export function startTimeline() {
  const made = canvas();
  const does = { in: () => zoom(0.5), out: () => zoom(2), back: () => pan(-0.4), on: () => pan(0.4), first, all: () => look(-Infinity, Infinity) };
  does.all = () => { const most = end(); look(-0.02 * most, 1.02 * most); };
  byId("timeline-tools").addEventListener("click", (event) => told && does[event.target.dataset.do]?.());
  const keys = { "+": does.in, "=": does.in, "-": does.out, ArrowLeft: does.back, ArrowRight: does.on, Home: first, End: does.all, ".": () => stepTo(1), ",": () => stepTo(-1) };
  made.addEventListener("keydown", (event) => {
    if (!told || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const at = (event) => from + (event.offsetX - labels()) / (made.clientWidth - labels()) * (to - from);
  made.addEventListener("wheel", (event) => {
    if (!told || !(event.ctrlKey || document.activeElement === made)) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event));
  }, { passive: false });
  made.addEventListener("pointerdown", (event) => { if (told) { grabbed = { x: event.clientX, from, to, moved: false }; made.setPointerCapture(event.pointerId); } });
  made.addEventListener("pointermove", (event) => {
    if (!grabbed) return;
    const shift = (grabbed.x - event.clientX) / (made.clientWidth - labels()) * (grabbed.to - grabbed.from);
    grabbed.moved ||= Math.abs(grabbed.x - event.clientX) > 3;
    if (grabbed.moved) look(grabbed.from + shift, grabbed.to + shift);
  });
  made.addEventListener("pointerup", (event) => {
    const moved = grabbed?.moved;
    grabbed = null;
    const lane = told?.lanes[Math.floor((event.offsetY - TOP) / LANE)];
    if (moved || !lane) return;
    const when = at(event), near = (to - from) / made.clientWidth * 4;
    const slice = lane.slices.find(([start, long, waited]) => when >= start - waited - near && when <= start + long + near);
    if (slice) pick(told.lanes.indexOf(lane), slice);
  });
  new ResizeObserver(draw).observe(made.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
