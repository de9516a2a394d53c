// SPDX-License-Identifier: Apache-2.0
// Questions to the server, or to the files of an export. A newer move cancels an older one.

import { question } from "./state.js";

const page = crypto.getRandomValues(new Uint32Array(2)).join("-");

export class Refused extends Error {}

let files = null;

export async function setup() {
  const told = await (await fetch("setup.json")).json();
  if (!told.live) files = told;
  return told;
}

export class Move {
  static newest = null;

  constructor(number) {
    Move.newest?.controller.abort();
    Move.newest = this;
    this.number = number;
    this.controller = new AbortController();
  }

  get current() { return Move.newest === this && !this.controller.signal.aborted; }

  // An answer; undefined where a newer move has come. Throws Refused with the server's one line.
  async ask(kind, state) {
    try {
      const told = await (files ? kept(kind, state, this.controller.signal) : this.live(kind, state));
      return this.current ? told : undefined;
    } catch (error) {
      if (!this.current || error.name === "AbortError") return undefined;
      throw error;
    }
  }

  async live(kind, state) {
    const pairs = question(state, ["parameters", "path", "curves", "timeline"].includes(kind) ? [] : ["path"]);
    pairs.append("page", page);
    pairs.append("move", String(this.number));
    let reply;
    try {
      reply = await fetch(`${kind}.json?${pairs}`, { signal: this.controller.signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refused("the server has ended; start weighbridge explore again");
    }
    if (reply.status === 409) return undefined;
    if (!(reply.headers.get("content-type") || "").includes("json")) throw new Refused((await reply.text()).trim());
    const told = await reply.json();
    if (!reply.ok) throw new Refused(told.error);
    return told;
  }
}

// One file of an export holds all the answers of a question.
const opened = new Map();

async function kept(kind, state, signal) {
  const words = files.axes.map((name) => state.words.get(name) ?? "");
  const name = files.files[words.join(" ")];
  if (name === undefined || state.set.size || state.strange.length) {
    throw new Refused("this copy of the page has no such answer; weighbridge explore has all of them");
  }
  if (!opened.has(name)) {
    const reply = await fetch(name, { signal });
    if (!reply.ok) throw new Refused(`${name} is missing`);
    opened.set(name, await reply.json());
    if (opened.size > 8) opened.delete(opened.keys().next().value);
  }
  const told = opened.get(name)[kind];
  // Of the timelines there is the best way's alone.
  return kind === "path" || kind === "timeline" ? told[state.words.get("path")] : told;
}
