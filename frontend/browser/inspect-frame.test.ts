// What is around every page, in each of its states: the header, a service that is lost, texts and pages that are not read, pages of one thing.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type { FeedsDocument, RightsDocument } from '../src/api/schema';
import { FAILED, inspectStates, type State } from './states';
import { hours, tour } from './tour';

const { service, visit } = tour();

const range = <T>(many: number, of: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => of(index));
const USER = 'wilhelmina-featherstonehaugh@hpc.physics.example.org';

/** Sources that fail, each of which needs somebody. */
const failing = (many: number) => (real: FeedsDocument): FeedsDocument => {
  const one = real.feeds?.[0];
  if (!one) return real;
  return { ...real, feeds: range(many, (index) => ({ ...one, id: `source-${index}`, status: 'failing', last_success_at: hours(-40), quantity: `q${index}` })) };
};
/** Who asks as if they were somebody else, who may do these actions alone. */
const as = (role: string, ...allowed: string[]) => (real: RightsDocument): RightsDocument => ({
  ...real, user: USER, role, // A token that is not known is answered by a problem, until it is sent no more.
  rights: (real.rights ?? []).map((it) => (allowed.length === 0 || allowed.includes(it.action) ? it : { ...it, may: 'no' })),
});
/** With a token, which a service without users does not know: it is not sent there. */
async function withToken(page: Page): Promise<void> {
  await page.route('**/api/**', (route) => {
    const { authorization: _, ...headers } = route.request().headers();
    return route.fallback({ headers });
  });
  await page.evaluate(`sessionStorage.setItem('wattbook-token', 'wb_0')`);
  await page.reload();
}
/** The name may be left out of a narrow header. */
const SIGNED_IN = 'Sign out';
const USERS: State[] = [
  { name: 'a role', at: 'overview', answers: { rights: as('operator') }, act: withToken, there: SIGNED_IN },
  { name: 'another role', at: 'overview', answers: { rights: as('auditor-of-the-whole-university') }, act: withToken, there: SIGNED_IN },
  { name: 'no role', at: 'plan', answers: { rights: (real: RightsDocument) => ({ ...as('')(real), role: null }) }, act: withToken, there: SIGNED_IN },
  { name: 'much needs the user', at: 'overview', answers: { rights: as('operator'), feeds: failing(123) }, act: withToken, there: SIGNED_IN },
  { name: 'rights are read', at: 'overview', answers: { rights: 'waits' }, act: withToken, there: SIGNED_IN },
  { name: 'rights cannot be read', at: 'overview', answers: { rights: 'fails' }, act: withToken, there: SIGNED_IN },
  { name: 'few pages', at: 'account', answers: { rights: as('supplier', 'me.read', 'agenda.read') }, act: withToken, there: SIGNED_IN },
  { name: 'a page that is not for the user', at: 'nodes', answers: { rights: as('supplier', 'me.read', 'agenda.read') }, act: withToken, there: SIGNED_IN },
  { name: 'no pages', at: 'plan', answers: { rights: as('nobody', 'none') }, act: withToken, there: SIGNED_IN },
];
const HEADER: State[] = [
  { name: 'much needs somebody', at: 'overview', answers: { feeds: failing(123) }, there: /^\d+ things need somebody/ },
  { name: 'the way past the header', at: 'overview', act: (page) => page.keyboard.press('Tab'), there: 'Skip to the page' },
  {
    name: 'a zone of a long name', at: 'overview', there: 'Needs somebody',
    act: (page) => page.getByLabel('Time zone').selectOption('America/Argentina/Rio_Gallegos'),
  },
];

/** The service is out of reach; whether it is asked just now, which is not answered. */
const lose = (isAsked: boolean) => async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await page.route('**/health/live', (route) => (isAsked ? undefined : route.abort()));
  await page.route('**/api/**', (route) => route.abort());
  await page.evaluate(`dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))`);
  // Until the tries are far apart.
  if (!isAsked) await page.getByText(/trying again in [5-9] s/).waitFor();
};
const unread = (page: Page) => page.route('**/assets/fr-*.js', (route) => route.abort());
const chooseFrench = async (page: Page) => {
  await unread(page);
  await page.getByLabel('Language').selectOption('Français');
};
/** What the page is made of cannot be loaded. */
const broken = (name: string) => async (page: Page) => {
  await page.route(`**/assets/${name}-*.js`, (route) => route.abort());
  await page.reload();
};
const LOST = /^The service is out of reach/;
const FRAME: State[] = [
  { name: 'the service is lost', at: 'grid', act: lose(false), there: LOST },
  { name: 'the service is asked again', at: 'grid', act: lose(true), there: /trying again now\.$/ },
  { name: 'another language is not read', at: 'account', act: chooseFrench, there: /^Français could not be loaded/ },
  {
    name: 'neither a language nor the service', at: 'account', there: LOST,
    act: async (page) => {
      await chooseFrench(page);
      await lose(false)(page);
      await page.getByText(/^Français could not be loaded/).waitFor();
    },
  },
  { name: 'a page is not loaded', at: 'reports', act: broken('Reports'), there: 'This page could not be loaded.' },
  { name: 'the page of a node is not loaded', at: 'nodes/aube-1', act: broken('NodePage'), there: 'This page could not be loaded.' },
];

/** An answer as a problem. */
const problem = (path: string, status: number, code: string, detail: string) => async (page: Page) => {
  const json = { type: 'about:blank', title: 'Refused', status, code, detail };
  await page.route((url) => url.pathname.endsWith(`/api/v1/${path}`), (route: Route) => route.fulfill({ status, contentType: 'application/problem+json', json }));
  await page.reload();
};
const FORBIDDEN = 'user:ada may not nodes.read: rule 12 of the rights of this site lets only operators, and members of the group that looks after the machine';
const copy = (page: Page) => page.getByRole('button', { name: 'Copy the address' }).click();
const LONG = `aube-${'of-the-second-row-'.repeat(8)}1`;
const OWN: State[] = [
  { name: 'it is there', at: 'nodes/aube-1', there: 'Calibration over time' },
  { name: 'it is read', at: 'nodes/aube-1', answers: { nodes: 'waits' }, there: /^Reading it/ },
  { name: 'it cannot be read', at: 'nodes/aube-1', answers: { nodes: 'fails' }, there: FAILED },
  { name: 'there is none', at: `nodes/${LONG}`, there: /^There is none of this name/ },
  { name: 'it is not for the user', at: 'nodes/aube-1', act: problem('nodes', 403, 'forbidden', FORBIDDEN), there: /^This page is not for you/ },
  {
    name: 'the list is not for the user either', at: 'nodes/aube-1', answers: { rights: as('supplier', 'me.read') }, there: 'Go to My account',
    act: problem('nodes', 403, 'forbidden', FORBIDDEN),
  },
  { name: 'its address is copied', at: 'nodes/aube-1', act: copy, there: 'Copied.' },
  {
    name: 'its address is selected', at: 'nodes/aube-1', there: /^It is selected/,
    act: async (page) => {
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not here"))');
      await copy(page);
    },
  },
];

test('the header, whatever needs somebody', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, HEADER)).toEqual({});
});
test('the header, whoever asks', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, USERS)).toEqual({});
});
test('what is lost or not loaded', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, FRAME)).toEqual({});
});
test('the page of one thing, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, OWN)).toEqual({});
});

const inFrench: State[] = [
  { name: 'the service is asked again', at: 'account', act: lose(true), there: /^Le service est injoignable/ },
  { name: 'a page is not loaded', at: 'reports', act: broken('Reports'), there: 'Cette page' },
  { name: 'there is no such node', at: `nodes/${LONG}`, there: /^Rien ne porte ce nom/ },
  { name: 'it is not for the user', at: 'nodes/aube-1', act: problem('nodes', 403, 'forbidden', FORBIDDEN), there: /^Cette page ne vous est pas/ },
  { name: 'much needs the user', at: 'overview', answers: { rights: as('operator'), feeds: failing(123) }, act: withToken, there: 'Quitter' },
];
test('the same in French, whose words are longer', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, locale: 'fr-FR' });
  expect(await inspectStates(page, service.url, inFrench)).toEqual({});
});
