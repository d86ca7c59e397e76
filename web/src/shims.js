// What modules for Node find in place of its globals.
export { Buffer } from "buffer/";
export { default as process } from "process/browser.js";
