// The page as it was built here in front of a service, whose binary has an older one: `WATTBOOK_PAGE` names the folder.

import { existsSync, readFileSync } from 'node:fs';
import { type Server, createServer, request } from 'node:http';
import { extname, join } from 'node:path';

export const BUILT = process.env.WATTBOOK_PAGE;

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** Serves the files of a folder, and passes on what else is asked for. Where the service is gone, so is the connection. */
export async function inFront(service: string, folder: string): Promise<Server> {
  const policy = (await fetch(service)).headers.get('content-security-policy') ?? '';
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url ?? '/', service).pathname;
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!/^\/(api|health)(\/|$)/.test(path) && existsSync(file)) {
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      answer.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(readFileSync(file));
      return;
    }
    const passed = request(new URL(asked.url ?? '/', service), { method: asked.method, headers: asked.headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      answer.flushHeaders();
      found.pipe(answer);
      found.on('error', () => answer.destroy());
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}
