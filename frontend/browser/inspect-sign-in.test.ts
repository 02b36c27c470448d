// Signing in, by a token or at an OpenID provider, in each of its states.

import type { Page, Route } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import type { SignInDocument } from '../src/api/schema';
import { OpenIdProvider, RESOURCE } from './provider';
import { inspectStates, type State } from './states';
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
/** Has the page begin with tokens of somebody who signed in. */
async function keep(page: Page, tokens: { accessToken?: string; expiresAt: number | null; refreshToken: string | null }): Promise<void> {
  const session = JSON.stringify({ issuer: provider.issuer, accessToken: 'a.b.c', ...tokens });
  await page.evaluate(`sessionStorage.clear(); sessionStorage.setItem('wattbook-session', ${JSON.stringify(session)})`);
  await page.reload();
}
const AT = /^(Sign in at|Se connecter avec) 127/;
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
      await page.getByLabel(/Token|Jeton/).fill('wb_nobody');
      await page.getByRole('button', { name: /^(Sign in with the token|Se connecter avec le jeton)$/ }).click();
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
    act: (page) => keep(page, { expiresAt: null, refreshToken: null }),
  },
  {
    name: 'without https', at: 'plan', there: /^Signing in needs https/,
    act: async (page) => {
      await page.evaluate(`sessionStorage.clear()`);
      await page.reload();
      await page.evaluate(`Object.defineProperty(window, 'isSecureContext', { value: false })`);
      await page.getByRole('button', { name: AT }).click();
    },
  },
];

/** What stands there in French, where that is something else. */
const FRENCH: Record<string, RegExp> = {
  'at a provider': AT, 'by a token alone': /^Ce service demande qui/, 'at one of several': /^Ou collez un jeton/, 'providers are read': /^Ce service demande qui/,
  'providers cannot be read': /^Ce service demande qui/, 'where a page is named': AT, 'on a display': AT, 'a token that is not known': /^Le service ne connaît pas ce jeton/,
  'begun in another tab': /^Cette connexion n’a pas été commencée/, 'another provider answered': /^Un autre fournisseur/, refused: /^Le fournisseur d’identité a refusé la connexion/,
  'refused without a reason': /aucune raison donnée\.$/, 'no answer is had': /^Le service a répondu 502/, 'the sign-in is over': /^Vous êtes déconnecté/, 'without https': /^La connexion exige https/,
};

/** A renewal of tokens that are over: `how` becomes of it. */
const renewal = (how: (route: Route) => Promise<void> | undefined) => async (page: Page) => {
  await page.route('**/api/v1/sign-in/tokens', how);
  await keep(page, { expiresAt: Date.now() - 1000, refreshToken: 'r1' });
};
const GONE = { type: 'about:blank', title: 'Refused', status: 400, code: 'sign_in_refused', detail: `the issuer answered invalid_grant: the grant of ${provider.issuer} is over` };
const unable = renewal((route) => route.fulfill({ status: 502, body: 'no gateway' }));
const RENEWALS: State[] = [
  { name: 'refused', at: 'plan', there: /^You are signed out, or may do nothing here/, act: renewal((route) => route.fulfill({ status: 400, contentType: 'application/problem+json', json: GONE })) },
  { name: 'the service is out of reach', at: 'plan', there: /^The service is out of reach/, act: async (page) => {
    await page.route('**/health/live', (route) => route.abort());
    await renewal((route) => route.abort())(page);
  } },
  { name: 'it waits', at: 'reservations', there: /^Reading the reservations/, act: renewal(() => undefined) },
  ...['overview', 'plan', 'reservations', 'schedule', 'nodes', 'grid', 'reports', 'simulate', 'account', 'nodes/aube-1'].map((at): State => ({ name: `not possible, ${at}`, at, there: 'The service answered 502.', act: unable })),
];

/** Signs in at the provider, as this person. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: AT }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  // Until the code was exchanged, nobody is signed in.
  await expect.poll(async () => new URL(page.url()).origin === new URL(service.url).origin && (await page.evaluate<boolean>(`sessionStorage.getItem('wattbook-session') !== null`)), { timeout: 60_000 }).toBe(true);
}
const NOTHING = /none of your groups has a role/i;
/** What each of them sees once they signed in. */
const AFTERWARDS: Record<string, Record<string, string | RegExp>> = {
  ada: { plan: 'Cost against CO₂', overview: 'Sources', reservations: 'Nothing is booked here.', schedule: /reservations? in view$/, account: /^ada, user/ },
  olga: { plan: 'Cost against CO₂', overview: 'Sources', reservations: 'Nothing is booked here.', 'reservations?whose=all': 'Which nodes', account: /^olga, operator/ },
  eve: { plan: NOTHING, overview: NOTHING, reservations: NOTHING, nodes: NOTHING, account: NOTHING, 'nodes/aube-1': NOTHING },
};

test('signing in, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, SIGN_IN)).toEqual({});
});
test('the same in French, whose words are longer', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, locale: 'fr-FR' });
  expect(await inspectStates(page, service.url, SIGN_IN.map((it) => ({ ...it, there: FRENCH[it.name] ?? it.there })))).toEqual({});
});
test('renewals, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, RENEWALS)).toEqual({});
});
for (const [name, places] of Object.entries(AFTERWARDS)) {
  test(`what ${name} sees once signed in`, { timeout: 600_000 }, async () => {
    const { page } = await visit('#/plan', { bypassCSP: true });
    await signIn(page, name);
    expect(await inspectStates(page, service.url, Object.entries(places).map(([at, there]) => ({ name: at, at, there })))).toEqual({});
  });
}
