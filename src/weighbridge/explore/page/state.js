// SPDX-License-Identifier: Apache-2.0
// The state of the page is its address: a question, the numbers that were changed, what is beside.

const WORDS = ["platform", "size", "direction", "os", "fpga_mhz", "consume", "stream", "depth", "duplex",
  "streams", "processor", "rate", "latency", "path"];

export function read(query) {
  const pairs = new URLSearchParams(query);
  const state = { words: new Map(), set: new Map(), beside: "", strange: [] };
  for (const [name, value] of pairs) {
    if (name === "set") {
      const at = value.indexOf("=");
      if (at > 0) state.set.set(value.slice(0, at), value.slice(at + 1));
      else state.strange.push([name, value]);
    } else if (name === "beside") state.beside = value;
    else if (WORDS.includes(name) && !state.words.has(name)) { if (value !== "") state.words.set(name, value); }
    else state.strange.push([name, value]);
  }
  return state;
}

// What the server is asked. What it does not know goes along, so that it says so.
export function question(state, without = []) {
  const pairs = new URLSearchParams();
  for (const name of WORDS) {
    if (state.words.has(name) && !without.includes(name)) pairs.append(name, state.words.get(name));
  }
  for (const [name, value] of state.set) pairs.append("set", `${name}=${value}`);
  for (const [name, value] of state.strange) pairs.append(name, value);
  return pairs;
}

export function address(state) {
  const pairs = question(state);
  if (state.beside) pairs.append("beside", state.beside);
  return `${location.pathname}?${pairs}`;
}
