// A worker with a program of its own. The first message starts it; each other one is a call, with the files that it
// reads. Answers are messages with the number of the call.
import * as engine from "./engine.js";
import "./environment.js";
import "wasm_exec";
import { kernels } from "./kernels.js";

let call;
const waiting = [];

function serve({ files, ...what }) {
  try {
    if (files) engine.put(files);
    call(what);
  } catch (error) {
    postMessage({ id: what.id, failure: { diagnostics: [], message: `the program has ended: ${error.message}` } });
  }
}

onmessage = async ({ data }) => {
  if (!data.program) {
    call ? serve(data) : waiting.push(data);
    return;
  }
  const env = data.fused ? {} : { VFLC_KERNELS: "go" };
  const linked = kernels(data.program, data.kernels);
  call = await engine.start(globalThis.Go, data.program, linked, (m) => postMessage(m), env);
  waiting.splice(0).forEach(serve);
};
