// Signing in, by a token or at an OpenID provider, in each of its states.

import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import type { SignInDocument } from '../src/api/schema';
import { OpenIdProvider, RESOURCE } from './provider';
import { inspectStates, type State } from './states';
import { tour } from './tour';

const provider = new OpenIdProvider({});
await provider.listen();
const settings = `
[[sign_in]]
issuer = "${provider.issuer}"
audience = "${RESOURCE}"
resource = "${RESOURCE}"
name_claim = "preferred_username"
page_client_id = "wattbook-page"
users = ["hpc"]
operators = ["admins"]
`;
const { service, visit } = tour({ settings, prepare: (service) => Promise.resolve(provider.serves(service.url)) });
afterAll(() => provider.close());

const issuers = (...hosts: string[]) => (real: SignInDocument): SignInDocument => ({
  ...real, issuers: hosts.flatMap((host) => real.issuers.map((it) => ({ ...it, issuer: `https://${host}/realms/hpc` }))),
});
/** Keeps what a tab keeps, and opens the page as the provider opens it. */
const back = (answer: string, kept: object = {}) => async (page: Page) => {
  await page.evaluate(`sessionStorage.clear()`);
  const begun = JSON.stringify({ issuer: provider.issuer, verifier: 'v', state: 's1', hash: '#/plan', ...kept });
  await page.evaluate(`sessionStorage.setItem('wattbook-sign-in', ${JSON.stringify(begun)})`);
  await page.goto(`${service.url}?${answer}#/plan`);
};
const tokens = (status: number, json?: object) => async (page: Page) => {
  await page.route('**/api/v1/sign-in/tokens', (route) =>
    json ? route.fulfill({ status, contentType: 'application/problem+json', json }) : route.fulfill({ status, body: 'no gateway' }));
  await back('code=c1&state=s1')(page);
};
const DENIED = 'access_denied: the end user or the authorization server of the university denied the request, since the group hpc-users is closed until Monday';
const SIGN_IN: State[] = [
  { name: 'at a provider', at: 'plan', there: /^Sign in at 127/ },
  { name: 'by a token alone', at: 'plan', answers: { 'sign-in': issuers() }, there: /^This service asks who you are/ },
  {
    name: 'at one of several', at: 'plan', there: 'Or paste an API token',
    answers: { 'sign-in': issuers('login.example.org', 'identity-federation.computing-centre.university.example.org', 'orcid.example') },
  },
  { name: 'providers are read', at: 'plan', answers: { 'sign-in': 'waits' }, there: /^This service asks who you are/ },
  { name: 'providers cannot be read', at: 'plan', answers: { 'sign-in': 'fails' }, there: /^This service asks who you are/ },
  { name: 'where a page is named', at: 'nodes/aube-1', there: /^Sign in at 127/ },
  {
    name: 'on a display', at: 'overview?kiosk', there: /^Sign in at 127/,
  },
  {
    name: 'a token that is not known', at: 'plan', there: /^The service does not know this token/,
    act: async (page) => {
      await page.getByLabel('Token').fill('wb_nobody');
      await page.getByRole('button', { name: 'Sign in with the token' }).click();
    },
  },
  { name: 'begun in another tab', at: 'plan', act: back('code=c1&state=s2'), there: /^This sign-in was not begun in this tab/ },
  { name: 'another provider answered', at: 'plan', act: back('code=c1&state=s1&iss=https://other.example.org'), there: /^Another provider answered/ },
  { name: 'refused', at: 'plan', act: back(`error=access_denied&error_description=${encodeURIComponent(DENIED)}&state=s1`), there: /^The provider did not sign you in: access/ },
  { name: 'refused by a word', at: 'plan', act: back('error=interaction_required&state=s1'), there: /: interaction_required\.$/ },
  { name: 'refused without a reason', at: 'plan', act: back('state=s1'), there: /: no reason\.$/ },
  {
    name: 'the provider takes no code', at: 'plan', there: /invalid_grant/,
    act: tokens(400, { type: 'about:blank', title: 'Refused', status: 400, code: 'sign_in_refused', detail: 'the issuer answered invalid_grant: the code is unknown' }),
  },
  { name: 'no answer is had', at: 'plan', act: tokens(502), there: 'The service answered 502.' },
  {
    name: 'the sign-in is over', at: 'plan', there: /^You are signed out, or may do nothing here/,
    act: async (page) => {
      const session = JSON.stringify({ issuer: provider.issuer, accessToken: 'a.b.c', expiresAt: null, refreshToken: null });
      await page.evaluate(`sessionStorage.clear(); sessionStorage.setItem('wattbook-session', ${JSON.stringify(session)})`);
      await page.reload();
    },
  },
  {
    name: 'without https', at: 'plan', there: /^Signing in needs https/,
    act: async (page) => {
      await page.evaluate(`sessionStorage.clear()`);
      await page.reload();
      await page.evaluate(`Object.defineProperty(window, 'isSecureContext', { value: false })`);
      await page.getByRole('button', { name: /^Sign in at 127/ }).click();
    },
  },
];

test('signing in, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, SIGN_IN)).toEqual({});
});
