// The real binary on demonstration data of its own, in a directory that vanishes.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { BUILT, inFront } from './built';

export const BINARY = resolve(process.env.WATTBOOK ?? '../target/debug/wattbook');

/** How a service is started. */
export interface Start {
  /** What its clock shows at first, where that is not the machine's: RFC 3339. */
  at?: string;
  /** In place of the settings that it was made with. */
  settings?: string;
}

export class Service {
  private child: ChildProcess | undefined;
  private readonly directory = mkdtempSync(join(tmpdir(), 'wattbook-browser-'));
  url = '';
  /** Where the binary itself listens. */
  private own = '';
  private front: Server | undefined;

  /** A service with a settings file of this text, or with none. */
  constructor(private readonly settings: string | null = '') {}

  /** Its database, of SQLite. */
  get databaseFile() {
    return join(this.directory, 'demo.db');
  }

  private get database() {
    return `sqlite://${this.databaseFile}`;
  }

  /** Starts it, on the port that it had before where there was one. */
  async start({ at, settings = this.settings ?? undefined }: Start = {}): Promise<void> {
    const address = this.own === '' ? '127.0.0.1:0' : new URL(this.own).host;
    const command = ['demo', '--listen', address, '--database', this.database];
    if (settings !== undefined) {
      const file = join(this.directory, 'wattbook.toml');
      writeFileSync(file, settings);
      command.push('--config', file);
    }
    if (at) command.push('--clock', `${new Date().toISOString().replace(/\.\d+/, '')}=${at}@1`);
    const child = spawn(BINARY, command, {
      env: { ...process.env, WATTBOOK_LOG: 'info', NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    this.own = await new Promise<string>((found, failed) => {
      let log = '';
      child.stderr.on('data', (text: Buffer) => {
        log += text.toString();
        const match = /listening on (http:\/\/[\d.:]+)/.exec(log);
        if (match?.[1]) found(`${match[1]}/`);
      });
      child.on('exit', (code) => failed(new Error(`the service ended with ${code}: ${log}`)));
    });
    if (BUILT) this.front ??= await inFront(this.own, BUILT);
    this.url = this.front ? `http://127.0.0.1:${(this.front.address() as AddressInfo).port}/` : this.own;
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
    this.front?.closeAllConnections();
    this.front?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Cancels what the demonstration booked, so that its nodes can be put anew. */
  async cancelAll(): Promise<void> {
    const { items } = await this.call<{ items: { id: string }[] }>('GET', 'reservations?limit=100');
    for (const { id } of items) await this.call('DELETE', `reservations/${id}`);
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
