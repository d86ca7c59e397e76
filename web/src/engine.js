// The program of vflc in memory of its own: a file system that nothing outside of this page sees, and calls that are
// answered by messages. It runs in a worker of a browser, and in Node for tests.
import { createFsFromVolume, Volume } from "memfs";

/** The files that the program sees. */
export const volume = new Volume();

// What the program finds in place of an operating system. wasm_exec.js takes these names from the global object.
export function prepare(environment) {
  const fs = createFsFromVolume(volume);
  const decoder = new TextDecoder();
  let line = "";
  const say = (text) => {
    const lines = (line + text).split("\n");
    line = lines.pop();
    for (const l of lines) console.error(l);
  };
  // The standard streams are numbers that the file system does not know.
  const write = fs.write.bind(fs);
  fs.writeSync = (fd, bytes) => (say(decoder.decode(bytes)), bytes.length);
  fs.write = (fd, bytes, offset, length, position, done) => {
    if (fd > 2) return write(fd, bytes, offset, length, position, done);
    say(decoder.decode(bytes.subarray(offset, offset + length)));
    done(null, length);
  };
  environment.fs = fs;
  environment.process = {
    getuid: () => 1, getgid: () => 1, geteuid: () => 1, getegid: () => 1, getgroups: () => [], pid: 1, ppid: 0,
    umask: () => 0o077, cwd: () => "/", chdir: () => {}, hrtime: () => [0, 0],
  };
  environment.path = { resolve: (...parts) => parts.join("/") };
}

/** Puts the files of a task, by path, in place of all others. */
export function put(files) {
  volume.reset();
  volume.mkdirSync("/tmp");
  for (const [path, content] of Object.entries(files)) {
    volume.mkdirSync(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
    volume.writeFileSync(path, typeof content === "string" ? content : new Uint8Array(content));
  }
}

/**
 * Starts the program with its vector functions, and returns the function that calls it. Answers go to onmessage as
 * objects.
 */
export async function start(Go, module, { imports, link }, onmessage, env = {}) {
  const go = new Go();
  go.env = env;
  const ready = new Promise((resolve) => {
    globalThis.vflc = { onready: resolve, onmessage: (text) => onmessage(JSON.parse(text)) };
  });
  const instance = await WebAssembly.instantiate(module, { ...go.importObject, ...imports });
  await link(instance.exports.mem);
  go.run(instance);
  await ready;
  return (call) => globalThis.vflc.call(JSON.stringify(call));
}
