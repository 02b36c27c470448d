// Signing in at a certified OpenID provider: on the page, by the command line, and with tokens that do not count any more.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';

import { OpenIdProvider, RESOURCE } from './provider';
import { BINARY } from './service';
import { tour } from './tour';

const provider = new OpenIdProvider({ olga: ['admins'], eve: ['students'] });
await provider.listen();
const settings = `
[[sign_in]]
issuer = "${provider.issuer}"
audience = "${RESOURCE}"
resource = "${RESOURCE}"
name_claim = "preferred_username"
page_client_id = "wattbook-page"
cli_client_id = "wattbook-cli"
users = ["hpc"]
operators = ["admins"]
skew_s = 0
`;
const { service, visit } = tour({
  settings,
  prepare: (service) => Promise.resolve(provider.serves(service.url)),
});
beforeEach(() => void (provider.lifetime = 600));
afterAll(() => provider.close());

/** What goes to the provider, and what its own pages ask for, is no fault here. */
const others = (faults: string[]) =>
  faults.filter((it) => !it.includes(provider.issuer) && !it.includes('fonts.googleapis.com'));

/** Enters a name at the provider, and lets the program have what it asks for. */
async function enter(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ }).click();
  await enter(page, name);
  await page.waitForURL(`${service.url}**`);
}

/** What the page keeps. */
const kept = async (page: Page) =>
  JSON.parse(await page.evaluate<string>(`sessionStorage.getItem('wattbook-session') ?? 'null'`)) as {
    accessToken: string;
    refreshToken: string;
  } | null;

/** How the service answers to a token. */
async function answered(token: string): Promise<{ status: number; detail: string }> {
  const answer = await fetch(new URL('api/v1/nodes?limit=1', service.url), {
    headers: { Authorization: `Bearer ${token}` },
  });
  return { status: answer.status, detail: ((await answer.json()) as { detail?: string }).detail ?? '' };
}

test('people sign in on the page, book under their name, and sign out', async () => {
  const { page, faults } = await visit('#/reservations');
  await signIn(page, 'ada');
  await page.getByRole('banner').getByText('ada', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  // Nothing of the sign-in is left in the address.
  expect(new URL(page.url()).search).toBe('');
  const session = await kept(page);
  expect(session?.accessToken.split('.').length).toBe(3);
  const reservations = await service.call<{ items: { owner: string }[] }>(
    'GET', 'reservations', undefined, session?.accessToken,
  );
  expect(new Set(reservations.items.map((it) => it.owner))).toEqual(new Set(['ada']));
  const forgotten = page.waitForResponse('**/api/v1/sign-in/forget');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await kept(page)).toBeNull();
  // The provider knows the refresh token no more: the first attempt fails.
  expect((await forgotten).status()).toBe(204);
  const again = { issuer: provider.issuer, refresh_token: session?.refreshToken, program: 'page' };
  await expect(service.call('POST', 'sign-in/tokens', again)).rejects.toThrow('invalid_grant');
  expect(others(faults)).toEqual([]);
});

test('the page opens where it was left, and renews tokens before they are over', async () => {
  // Tokens with less than half a minute left are renewed.
  provider.lifetime = 32;
  const { page, faults } = await visit('#/schedule');
  await signIn(page, 'bob');
  await page.getByText('in view').first().waitFor();
  expect(page.url()).toBe(`${service.url}#/schedule`);
  const first = (await kept(page))?.accessToken;
  await sleep(3000);
  await page.getByRole('link', { name: 'Reservations' }).click();
  await expect.poll(async () => (await kept(page))?.accessToken, { timeout: 15_000 }).not.toBe(first);
  await page.getByRole('button', { name: 'Past' }).waitFor();
  expect(others(faults)).toEqual([]);
});

test('who may do nothing is told so, and who changes their mind at the provider can try again', async () => {
  const { page } = await visit('#/nodes');
  await signIn(page, 'eve');
  await page.getByText('none of your groups has a role').first().waitFor();
  const { page: other } = await visit('#/nodes');
  await other.getByRole('button', { name: /^Sign in at 127/ }).click();
  await other.getByRole('link', { name: 'Cancel' }).click();
  await other.getByText('The provider did not sign you in').waitFor();
  await signIn(other, 'olga');
  await other.getByText('What each node does now').waitFor();
});

test('an answer that this tab did not ask for is not taken', async () => {
  const { page } = await visit('?code=stolen&state=other#/plan');
  await page.getByText('This sign-in was not begun in this tab').waitFor();
  expect(await kept(page)).toBeNull();
  expect(new URL(page.url()).search).toBe('');
});

const home = mkdtempSync(join(tmpdir(), 'wattbook-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command against the service: how it ended, and what it said. */
function command(...words: string[]): Promise<{ status: number; out: string; said: string }> {
  const env = { ...process.env, XDG_STATE_HOME: home, WATTBOOK_URL: service.url };
  return new Promise((done) => {
    execFile(BINARY, words, { env, encoding: 'utf8' }, (error, out, said) => {
      done({ status: typeof error?.code === 'number' ? error.code : 0, out, said });
    });
  });
}

/** Begins to sign in by the command line: the address to open, and how it ends. */
async function begun(): Promise<{ address: string; ended: Promise<number | null>; said: () => string }> {
  const env = { ...process.env, XDG_STATE_HOME: home, WATTBOOK_URL: service.url };
  const child = spawn(BINARY, ['sign-in'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  let said = '';
  const address = await new Promise<string>((found, failed) => {
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      const match = /or open (\S+)\n/.exec(said);
      if (match?.[1]) found(match[1]);
    });
    child.once('exit', () => failed(new Error(said)));
  });
  return { address, ended, said: () => said };
}

test('people sign in by the command line with a code, and out again', { timeout: 60_000 }, async () => {
  provider.lifetime = 5;
  expect((await command('list')).said).toContain('wattbook sign-in');
  const { address, ended, said } = await begun();
  const { page } = await visit();
  await page.goto(address);
  await page.getByRole('button', { name: 'Continue' }).click();
  await enter(page, 'carl');
  await page.getByText('Your sign-in was successful').waitFor();
  expect(await ended).toBe(0);
  expect(said()).toContain('signed in as carl');
  const mine = await command('list', '--format', 'json');
  expect([mine.status, mine.said]).toEqual([0, '']);
  // Each of them needs newer tokens, and a refresh token counts once.
  const many = await Promise.all(Array.from({ length: 6 }, () => command('list')));
  expect(many.map((it) => it.said)).toEqual(Array(6).fill(''));
  expect((await command('sign-out')).status).toBe(0);
  const after = await command('list');
  expect([after.status, after.said.includes('wattbook sign-in')]).toEqual([1, true]);
  expect((await command('sign-out')).said).toContain('nobody is signed in');
});

/** An access token for a resource, taken at the provider itself. */
async function taken(page: Page, name: string, resource: string): Promise<string> {
  const post = async (route: string, form: Record<string, string>) =>
    (await fetch(`${provider.issuer}/${route}`, { method: 'POST', body: new URLSearchParams(form) })).json();
  const client = { client_id: 'wattbook-cli', resource };
  const code = (await post('device/auth', { ...client, scope: 'openid' })) as Record<string, string>;
  await page.goto(code.verification_uri_complete ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await enter(page, name);
  await page.getByText('Your sign-in was successful').waitFor();
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const tokens = await post('token', { ...client, grant_type, device_code: code.device_code ?? '' });
  return (tokens as { access_token: string }).access_token;
}

test('tokens count for this service, for their time, and by the keys of today', { timeout: 90_000 }, async () => {
  const tab = async () => (await visit()).page;
  const elsewhere = await taken(await tab(), 'ada', 'https://elsewhere.example');
  expect(await answered(elsewhere)).toMatchObject({ status: 401, detail: expect.stringContaining('(aud)') as string });
  provider.lifetime = 8;
  const short = await taken(await tab(), 'ada', RESOURCE);
  expect((await answered(short)).status).toBe(200);
  await sleep(9000);
  expect(await answered(short)).toMatchObject({ status: 401, detail: expect.stringContaining('time is over') as string });
  provider.lifetime = 600;
  const before = await taken(await tab(), 'ada', RESOURCE);
  // Keys are asked for again at the earliest after ten seconds.
  await sleep(10_000);
  provider.renewKeys();
  const after = await taken(await tab(), 'ada', RESOURCE);
  expect((await answered(after)).status).toBe(200);
  expect(await answered(before)).toMatchObject({ status: 401, detail: expect.stringContaining('no key') as string });
  // Without its issuer the service goes on; nobody new can sign in.
  await provider.close();
  expect((await answered(after)).status).toBe(200);
  const page = await tab();
  await page.getByRole('button', { name: /^Sign in at 127/ }).waitFor();
  await expect(service.call('POST', 'sign-in/device', { issuer: provider.issuer })).rejects.toThrow(/503.*issuer_unavailable/);
  await provider.listen();
});
