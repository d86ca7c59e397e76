// The program, and workers that run it. Everything is loaded once; then the page cuts itself off from the network.
import { fused } from "./kernels.js";

/** What load has brought: the address of the worker, and its first message. */
export const loaded = {};

async function gunzipped(url, type, progress) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const total = Number(response.headers.get("content-length"));
  let seen = 0;
  const counted = new TransformStream({
    transform(chunk, out) {
      seen += chunk.length;
      progress?.(seen, total);
      out.enqueue(chunk);
    },
  });
  const plain = response.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain, { headers: { "content-type": type } });
}

/** Loads the program; progress is called with the bytes that have come, and all. */
export async function load(progress) {
  const [worker, program, kernels] = await Promise.all([
    fetch("worker.js").then((r) => r.text()),
    gunzipped("vflc.wasm.gz", "application/wasm", progress).then((r) => WebAssembly.compileStreaming(r)),
    fetch("kernels.wasm").then((r) => r.arrayBuffer()).then((b) => WebAssembly.compile(b)).catch(() => null),
  ]);
  // A worker from a blob is under the policy of the page; one from an address would be under that of its own response.
  loaded.worker = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
  loaded.message = { program, kernels, fused: kernels !== null && (await fused(kernels)) };
}

/** Forbids every connection from now on, of this page and of the workers that it starts. */
export function cutOff() {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "connect-src 'none'";
  document.head.append(policy);
}

/** A worker: calls are promises, and a call that is under way reports to its function heard. */
export class Program {
  #worker = new Worker(loaded.worker);
  #calls = new Map();
  #last = 0;

  constructor() {
    this.#worker.onmessage = ({ data }) => {
      const call = this.#calls.get(data.id);
      if (!call) return;
      if ("answer" in data || data.failure) {
        this.#calls.delete(data.id);
        data.failure ? call.reject(data.failure) : call.resolve(data.answer);
      } else call.heard?.(data);
    };
    this.#worker.onerror = (event) => this.#failAll(`the program has ended: ${event.message}`);
    this.#worker.postMessage(loaded.message);
  }

  call(what, heard) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, heard });
      this.#worker.postMessage({ ...what, id });
    });
  }

  /** Ends the program at once. */
  end() {
    this.#worker.terminate();
    this.#failAll("cancelled");
  }

  #failAll(message) {
    for (const { reject } of this.#calls.values()) reject({ diagnostics: [], message });
    this.#calls.clear();
  }
}
