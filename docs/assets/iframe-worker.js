/* Search runs in a worker, and browsers start none for pages that were opened from a folder.
   There, and only there, a hidden frame takes the place of the worker. */
(function () {
  "use strict";
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      const listeners = [];
      inside.document.open();
      inside.document.write("<!doctype html><html><body></body></html>");
      inside.document.close();
      inside.postMessage = (data) => this.receive(data);
      inside.addEventListener = (kind, listener) => {
        if (kind === "message") listeners.push(listener);
      };
      inside.importScripts = (...urls) => Promise.all(urls.map((own) => load(inside, own)));
      this.send = (data) => {
        const event = new MessageEvent("message", { data });
        for (const listener of listeners) listener.call(inside, event);
        if (inside.onmessage) inside.onmessage(event);
      };
      load(inside, String(url)).then(() => {
        this.isReady = true;
        for (const data of this.waiting.splice(0)) this.send(data);
      });
    }

    postMessage(data) {
      if (this.isReady) setTimeout(() => this.send(data));
      else this.waiting.push(data);
    }

    receive(data) {
      setTimeout(() => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
    }

    terminate() {
      this.frame.remove();
    }
  }

  function load(inside, url) {
    return new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = resolve;
      script.onerror = reject;
      inside.document.body.appendChild(script);
    });
  }

  window.Worker = FrameWorker;
})();
