// SPDX-License-Identifier: Apache-2.0
// A browser starts no worker for a page that was opened as a file. Where that is so, the search's
// worker runs in a hidden frame of the page and exchanges the same messages with it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.tell(new MessageEvent("message", { data }));
      // Libraries of the worker are scripts of the frame, loaded one after the other.
      inner.importScripts = (...scripts) =>
        scripts.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.load(url).then(() => {
        this.ready = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      });
    }
    tell(event) {
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    load(url) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        Object.assign(script, { src: url, onload: done, onerror: failed });
        this.frame.contentDocument.body.append(script);
      });
    }
    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data);
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
