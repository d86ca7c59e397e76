// The site as a static host serves it, and Chromium that shows it.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import puppeteer from "puppeteer-core";

export const root = path.join(import.meta.dirname, "..", "..", "build", "site");

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/** Serves the site, and notes the requests that come. */
export async function served() {
  const requests = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(`${request.method} ${request.url}`);
    let file = path.join(root, decodeURIComponent(pathname));
    if (existsSync(file) && statSync(file).isDirectory()) file = path.join(file, "index.html");
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { at: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export const browser = () => puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"], protocolTimeout: 170_000 });
