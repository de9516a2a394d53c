// SPDX-License-Identifier: Apache-2.0
// Rate over size of some ways, a band for the model's own error, marks where somebody has measured.

import { byId } from "./element.js";

let library = null, view = null;

function vega() {
  library ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "vega.js";
    script.onload = () => done(window.vegaEmbed);
    script.onerror = () => failed(new Error("the chart library cannot be loaded"));
    document.head.append(script);
  });
  return library;
}

const SIZE = "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB' : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'";
const COLOURS = ["#d55e00", "#0077bb", "#009e73", "#cc79a7", "#8a7a2a", "#7f7f7f"];

function specification(told, lit, size, width) {
  const values = [], marks = [];
  for (const curve of told.curves) {
    curve.sizes.forEach((bytes, at) => {
      const rate = bytes / curve.seconds[at] / 1e6, error = curve.error ?? 0;
      values.push({ way: curve.name, bytes, rate, low: rate / (1 + error), high: rate * (1 + error), lit: curve.key === lit });
    });
    for (const [bytes, seconds] of curve.published) marks.push({ way: curve.name, bytes, rate: bytes / seconds / 1e6 });
  }
  const most = Math.max(...values.map((one) => one.bytes)), ticks = [];
  for (let tick = 2; tick <= most; tick *= width < 500 ? 64 : 8) ticks.push(tick);
  const ink = getComputedStyle(document.documentElement).color;
  const x = { field: "bytes", type: "quantitative", title: "Transfer size", scale: { type: "log", base: 2, nice: false }, axis: { values: ticks, labelExpr: SIZE, grid: false } };
  const y = { type: "quantitative", title: "Rate (MB/s)", scale: { type: "log" } };
  const color = { field: "way", type: "nominal", title: null, sort: null, scale: { range: COLOURS, domain: told.curves.map((one) => one.name) }, legend: { orient: "bottom", columns: width < 700 ? 1 : 2, labelLimit: 0, symbolType: "stroke", symbolOpacity: 1, symbolStrokeWidth: 3, symbolSize: 300 } };
  const tooltip = [{ field: "way", title: "Way" }, { field: "bytes", title: "Size (B)" }, { field: "rate", title: "Rate (MB/s)" }];
  return {
    width: width - 70, height: 320, background: "transparent", datasets: { lines: values, marks }, data: { name: "lines" },
    autosize: { type: "fit", contains: "padding" },
    layer: [
      { mark: { type: "area", opacity: 0.18, clip: true }, encoding: { x, color, y: { ...y, field: "low" }, y2: { field: "high" } } },
      { mark: { type: "line", clip: true }, encoding: { x, color, tooltip, y: { ...y, field: "rate" }, strokeWidth: { condition: { test: "datum.lit", value: 3 }, value: 1.6 } } },
      ...(marks.length ? [{ data: { name: "marks" }, mark: { type: "point", size: 28, strokeWidth: 1.3 }, encoding: { x, color, tooltip, y: { ...y, field: "rate" } } }] : []),
      { data: { values: [{ bytes: size }] }, mark: { type: "rule", strokeDash: [2, 3] }, encoding: { x, color: { value: ink } } },
    ],
    config: { font: "Helvetica Neue, Liberation Sans, Arial, sans-serif", view: { stroke: null },
      axis: { gridColor: "#80808033", domainColor: "#808080", tickColor: "#808080", labelColor: ink, titleColor: ink, titleFontWeight: "normal" }, legend: { labelColor: ink } },
  };
}

export async function showCurves(told, lit, size, current) {
  const embed = await vega();
  if (!current()) return;
  const width = byId("curves").clientWidth;
  // Vega's expressions are interpreted: the page's policy lets nothing be compiled from text.
  const made = await embed(byId("chart"), specification(told, lit, size, width), { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false });
  view?.finalize();
  view = made.view;
  byId("chart").querySelector("svg").setAttribute("aria-label", `Rate over size of ${told.curves.length} ways`);
  const marks = told.curves.reduce((sum, one) => sum + one.published.length, 0);
  const bands = told.curves.some((one) => one.error !== null) ? "Bands: the model's own error. " : "Nobody has measured the model's error on these ways. ";
  byId("curves-note").textContent = bands + (marks ? `Circles: ${marks} published measurements.` : "Nobody has published measurements of these ways at this clock.");
}

export const chartView = () => view;
