// What the program finds in place of an operating system: wasm_exec.js looks for it when it is loaded.
import { prepare } from "./engine.js";

prepare(globalThis);
