// The real binary on demonstration data of its own, in a directory that vanishes.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const BINARY = resolve(process.env.WATTBOOK ?? '../target/debug/wattbook');

export class Service {
  private child: ChildProcess | undefined;
  private readonly directory = mkdtempSync(join(tmpdir(), 'wattbook-browser-'));
  url = '';

  /** A service with a settings file of this text, or with none. */
  constructor(private readonly settings: string | null = '') {}

  private get database() {
    return `sqlite://${join(this.directory, 'demo.db')}`;
  }

  /** Starts it, on the port that it had before where there was one. */
  async start(): Promise<void> {
    const address = this.url === '' ? '127.0.0.1:0' : new URL(this.url).host;
    const command = ['demo', '--listen', address, '--database', this.database];
    if (this.settings !== null) {
      const file = join(this.directory, 'wattbook.toml');
      writeFileSync(file, this.settings);
      command.push('--config', file);
    }
    const child = spawn(BINARY, command, {
      env: { ...process.env, WATTBOOK_LOG: 'info', NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    this.url = await new Promise<string>((found, failed) => {
      let log = '';
      child.stderr.on('data', (text: Buffer) => {
        log += text.toString();
        const match = /listening on (http:\/\/[\d.:]+)/.exec(log);
        if (match?.[1]) found(`${match[1]}/`);
      });
      child.on('exit', (code) => failed(new Error(`the service ended with ${code}: ${log}`)));
    });
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.removeAllListeners('exit');
    child.once('exit', () => undefined);
    const gone = new Promise((done) => child.once('close', done));
    child.kill('SIGKILL');
    await Promise.race([ended, gone]);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Makes a token: from then on everybody needs one. */
  token(owner: string, role = 'user'): string {
    const command = ['token', 'create', '--create-database', '--owner', owner, '--role', role, '--database', this.database];
    return execFileSync(BINARY, command, { encoding: 'utf8' }).trim().split(/\s+/).at(-1) ?? '';
  }

  /** Speaks to the API as a program would. */
  async call<T>(method: string, route: string, body?: unknown, token = ''): Promise<T> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (token) headers.Authorization = `Bearer ${token}`;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await fetch(new URL(`api/v1/${route}`, this.url), init);
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}
