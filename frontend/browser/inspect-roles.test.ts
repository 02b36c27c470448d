// What each role sees: nothing lies over anything else, and everybody can use it.

import { beforeAll, expect, test } from 'vitest';

import { inspectStates, type State } from './states';
import { SETTINGS, placesOf, things, type Things } from './things';
import { tour } from './tour';

const { service, visit } = tour({ settings: SETTINGS, timeout: 300_000 });
/** A member of a project, its manager, a supplier and an operator. */
const tokens = { ada: '', mary: '', grid: '', ops: '' };
let made: Things;

beforeAll(async () => {
  tokens.ada = service.token('ada');
  tokens.mary = service.token('mary');
  tokens.grid = service.token('grid', 'supplier');
  tokens.ops = service.token('ops', 'operator');
  await service.call('PUT', 'projects/physics', {}, tokens.ops);
  for (const user of ['mary', 'ada']) await service.call('PUT', `projects/physics/members/${user}`, { manager: user === 'mary' }, tokens.ops);
  made = await things(service, { token: tokens.ops, user: tokens.ada });
}, 300_000);

const PAGES: Record<string, string | RegExp> = {
  overview: 'Sources',
  schedule: /reservations? in view$/,
  nodes: 'What runs on it',
  'nodes?tab=outages': 'new power supplies',
  'nodes?tab=switching': /^No node is being switched/,
  'nodes?tab=calibration': 'Nodes that stand out',
  grid: 'Feeds',
  reports: 'Whose energy it was',
  simulate: 'Simulations',
};
const statesOf = (pages: Record<string, string | RegExp>): State[] => Object.entries(pages).map(([at, there]) => ({ name: at, at, there }));
const placeOf = (name: string) => placesOf(made)[name]?.[0].slice(2) ?? '';
const FOREIGN = /^This page is not for you: /;

/** What each sees where others see something else. */
const seen = (): Record<keyof typeof tokens, State[]> => ({
  ada: statesOf({ ...PAGES, [placeOf('node')]: /^Calibration/, [placeOf('source')]: 'What it said', [placeOf('simulation')]: 'Asked for', [placeOf('negotiation')]: FOREIGN }),
  mary: statesOf({ overview: 'Sources', schedule: /reservations? in view$/, simulate: 'Simulations', [placeOf('simulation')]: /^There is none of this name/ }),
  grid: statesOf({
    overview: 'The supplier has not answered a request for extra power.', grid: 'Feeds', [placeOf('negotiation')]: 'What does the supplier say?', [placeOf('node')]: FOREIGN,
  }),
  ops: statesOf({ ...PAGES, [placeOf('node')]: /^Measured power/, [placeOf('source')]: 'Ask now', [placeOf('negotiation')]: 'What does the supplier say?' }),
});

for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) {
  test(`what ${name} sees`, { timeout: 600_000 }, async () => {
    const { page } = await visit('#/overview', { bypassCSP: true });
    await page.getByLabel('Token').fill(tokens[name]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(new RegExp(`^${name}, `)).first().waitFor({ state: 'attached' });
    expect(await inspectStates(page, service.url, seen()[name])).toEqual({});
  });
}
