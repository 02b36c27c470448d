// The account page in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type {
  MeDocument, NotificationDocument, ProjectDocument, QuotaAdjustmentDocument, QuotaDocument, QuotasDocument, RightsDocument, ShareDocument, SharesDocument,
} from '../src/api/schema';
import { QUOTA_RULES } from './quotaRules';
import { FAILED, fail, inspectStates, type State } from './states';
import { hours, tour } from './tour';

const { service, visit } = tour({ settings: QUOTA_RULES });

const range = <T>(many: number, of: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => of(index));
/** An instant as `datetime-local` shows it in Paris. */
const wall = (ahead: number) => new Date(Date.parse(hours(ahead))).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16);
const USER = 'wilhelmina-featherstonehaugh@hpc.physics.example.org';
const PROJECT = 'molecular-dynamics-of-membranes-and-their-proteins';
const WHY = 'the deadline of the journal is on Friday, and the reviewers asked for three more runs of the largest case';

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();
/** What becomes of what is sent: an answer of its own, or none. */
const sent = (page: Page, path: string, answer: unknown) =>
  page.route((url) => url.pathname.endsWith(`/api/v1/${path}`), (route: Route) => {
    if (route.request().method() === 'GET') return route.fallback();
    if (answer === 'waits') return undefined;
    return answer === 'fails' ? fail(route) : route.fulfill({ json: answer });
  });
const state = (name: string, there: State['there'], more: Partial<State> = {}): State => ({ name, at: 'account', there, ...more });

/** Who asks as if they were somebody else. */
const as = (role: string, ...denied: string[]) => (real: RightsDocument): RightsDocument => ({
  ...real, role, rights: real.rights.map((it) => (denied.includes(it.action) ? { ...it, may: 'no' } : it)),
});
const READS = ['share.read', 'quota.read', 'quota.adjust', 'project.read', 'calendar.read', 'notification.read'];
const PAGE: State[] = [
  state('all that there is', 'climate'),
  state('a user', 'My quotas', { answers: { rights: as('user', 'quota.adjust'), me: (real: MeDocument) => ({ ...real, name: USER, role: 'user' }) } }),
  state('who may read none of it', /^supplier-of-the-site, /, {
    answers: { rights: as('supplier', ...READS), me: (real: MeDocument) => ({ ...real, name: 'supplier-of-the-site', role: 'supplier' }) },
  }),
  state('is read', 'My account', { answers: { me: 'waits' } }),
  state('cannot be read', FAILED, { answers: { me: 'fails' } }),
  state('its parts are read', 'Quota adjustments', {
    answers: { shares: 'waits', quotas: 'waits', 'quotas/adjustments': 'waits', projects: 'waits', calendar: 'waits', notifications: 'waits' },
  }),
  state('its parts cannot be read', FAILED, {
    answers: { shares: 'fails', quotas: 'fails', 'quotas/adjustments': 'fails', projects: 'fails', calendar: 'fails', notifications: 'fails' },
  }),
];

const account = (more: Partial<ShareDocument>): ShareDocument => ({
  account: 'local', advice: [], factor: 0.5, is_user: true, normalised_usage: 1, parent: PROJECT, share: 0.0123, usage_co2_g: 1.2e9, usage_cost: 123_456.78,
  usage_energy_j: 1.2e13, usage_node_seconds: 4.5e9, ...more,
});
const shares = (mine: Partial<ShareDocument>, more: Partial<SharesDocument> = {}) => (real: SharesDocument): SharesDocument => ({
  ...real, ...more, accounts: [account(mine), account({ account: USER, factor: 0.01 }), account({ account: PROJECT, is_user: false, parent: '', factor: 1 })],
});
const ADVICE = [
  { code: 'wait', detail: `use nothing until ${hours(40)}, when your standing is a half again` },
  { code: 'until_half', detail: 'use no more than 1234.5 kWh until the end of the quarter' },
] as ShareDocument['advice'];
const STANDING: State[] = [
  state('nothing known', /^Nothing is known of you yet/, { answers: { shares: (real: SharesDocument) => ({ ...real, accounts: [] }) } }),
  state('not among the accounts', USER, { answers: { shares: (real: SharesDocument) => ({ ...real, accounts: [account({ account: USER })] }) } }),
  state('very well', 'very well: nearly', { answers: { shares: shares({ factor: 0.98, until_half: 3.6e9 }) } }),
  state('well, by energy', /^You may use/, { answers: { shares: shares({ factor: 0.7, until_half: 3.6e12, advice: ADVICE }, { counts: 'energy', decides: true }) } }),
  state('about even, by cost', 'about even', { answers: { shares: shares({ advice: ADVICE }, { counts: 'cost', decides: false }) } }),
  state('less well, by CO₂', 'less well', { answers: { shares: shares({ factor: 0.02, advice: ADVICE }, { counts: 'co2' }) } }),
  state('by the time of nodes', '1,250,000 node-hours', { answers: { shares: shares({}, { counts: 'node_seconds' }) } }),
];

const MEASURES = ['nodes', 'reservations', 'node_hours', 'energy_kwh', 'cost', 'co2_kg'];
const PERIODS = [null, null, 'day', 'week', 'quarter', 'year'];
const quota = (index: number): QuotaDocument => {
  const [limit, used] = [1000 * (index + 1), [0.2, 1.3, 1][index % 3]! * 1000 * (index + 1)];
  const adjustment = index % 4 === 0 ? { id: `q${index}`, reason: index % 8 ? WHY : '', until: index % 8 ? hours(30) : null } : null;
  return {
    from: hours(-20), to: index % 2 ? hours(100) : hours(-20), job_type: index % 5 ? '*' : 'batch', left: limit - used, limit, measure: MEASURES[index % 6]!, partition: '*',
    per: PERIODS[index % 6] ?? null, project: index % 3 ? '*' : PROJECT, rule: `${index}`, rules: 'of-the-last-quarter', used, user: index % 2 ? USER : '/', adjustment,
  } as QuotaDocument;
};
const quotas = (many: number) => (): QuotasDocument => ({ quotas: range(many, quota) });
const QUOTAS: State[] = [
  state('none at all', 'No quota limits anybody now.', { answers: { quotas: quotas(0) } }),
  state('none for a user', 'No quota limits you now.', { answers: { quotas: quotas(0), rights: as('user') } }),
  state('many', '45 quotas', { answers: { quotas: quotas(45) } }),
  state('the last of many', 'page 3 of 3', {
    answers: { quotas: quotas(45) },
    act: async (page) => {
      for (let index = 0; index < 2; index += 1) await card(page, 'Quotas').getByRole('button', { name: 'Next' }).click();
    },
  }),
  state('searched', /too much$/, { answers: { quotas: quotas(45) }, act: (page) => page.getByLabel('Search').fill('cost') }),
  state('searched to nothing', 'No quota is about', { answers: { quotas: quotas(45) }, act: (page) => page.getByLabel('Search').fill(PROJECT.repeat(3)) }),
];

const adjustment = (index: number, more: Partial<QuotaAdjustmentDocument> = {}): QuotaAdjustmentDocument => ({
  id: `01a21cfd-3e41-77ea-8d42-${index}`, created_at: hours(-3), from: index % 2 ? hours(5) : hours(-2), to: index % 3 ? hours(90) : null, made_by: USER, reason: WHY,
  partition: '*', project: index % 2 ? PROJECT : '*', job_type: '*', user: USER, with_below: false, [MEASURES[index % 6]!]: ['1234', '-1', '0.5*ALL'][index % 3],
  per: PERIODS[index % 6] ?? null, ...more,
});
const adjustments = (many: number) => () => ({ items: range(many, (index) => adjustment(index)), next_cursor: null });
const adjusting = (page: Page) => page.getByRole('form', { name: 'Adjust a quota' });
const open = (page: Page) => card(page, 'Quota adjustments').getByText('Adjust a quota').click();
const adjust = press('Adjust it');
async function fill(page: Page, fields: Record<string, string>, measure = 'Nodes'): Promise<void> {
  await open(page);
  await adjusting(page).getByLabel('Limit of').selectOption(measure);
  for (const [label, text] of Object.entries(fields)) await adjusting(page).getByLabel(label, { exact: true }).fill(text);
}
const gone = { 'quotas/adjustments': adjustments(3) };
const ended = (label: RegExp, yes: string, answer: unknown) => async (page: Page) => {
  const { id } = adjustment(label.source.includes('Take') ? 1 : 0);
  await sent(page, `quotas/adjustments/${id}`, answer);
  await press(label)(page);
  await press(yes)(page);
};
const ADJUSTMENTS: State[] = [
  state('none', 'No quota is adjusted.'),
  state('many', '25 adjustments', { answers: { 'quotas/adjustments': adjustments(25) } }),
  state('asked whether to end one', /^The rules of the settings count again/, { answers: gone, act: press(/^End it for/) }),
  state('asked whether to take one back', /^It will not come into force/, { answers: gone, act: press(/^Take it back for/) }),
  state('ended', /^It has ended/, { answers: gone, act: ended(/^End it for/, 'Yes, end it', adjustment(0)) }),
  state('taken back', 'It is taken back.', { answers: gone, act: ended(/^Take it back for/, 'Yes, take it back', adjustment(1)) }),
  state('one that is gone', /There is no|no quota adjustment|not found/i, {
    answers: gone,
    act: async (page) => {
      await press(/^End it for/)(page);
      await press('Yes, end it')(page);
    },
  }),
  state('ends one', 'Quota adjustments', { answers: gone, act: ended(/^End it for/, 'Yes, end it', 'waits') }),
  ...['Nodes', 'Node-hours', 'Energy (kWh)', 'Cost'].map((measure) =>
    state(`the form, ${measure}`, 'At most', { act: (page) => fill(page, {}, measure) }),
  ),
  state('the form, the currency not known', /the site’s currency/, { answers: { site: 'waits' }, act: (page) => fill(page, {}, 'Cost') }),
  state('a wrong limit and times past', 'A number such as 36, a part', {
    act: async (page) => {
      await fill(page, { 'At most': 'much', From: wall(-20), Until: wall(-30) });
      await adjust(page);
    },
  }),
  state('a budget without a period', 'A budget needs a period.', {
    act: async (page) => {
      await fill(page, { 'At most': '0.5*ALL' }, 'CO₂ (kg)');
      await adjust(page);
    },
  }),
  state('refused by the service', /must be -1/, {
    act: async (page) => {
      await fill(page, { User: USER, 'At most': '9'.repeat(24), Why: WHY });
      await adjust(page);
      await card(page, 'Quota adjustments').getByRole('alert').waitFor();
    },
  }),
  state('adjusted', /^Adjusted for/, {
    act: async (page) => {
      await fill(page, { User: USER, Project: PROJECT, 'At most': '1234.5', From: wall(5), Until: wall(50), Why: WHY });
      await adjust(page);
    },
  }),
];

const calendar = (page: Page) => card(page, 'In my calendar');
const made = { calendar: (real: object) => ({ ...real, created_at: hours(-100) }) };
const CALENDAR: State[] = [
  state('no address', 'Make an address'),
  state('there is one', 'There is an address', { answers: made }),
  state('asked whether to make another', /^The former address stops working/, { answers: made, act: press('Make another address') }),
  state('asked whether to revoke it', /^Calendar programs can no longer/, { answers: made, act: press('Revoke it') }),
  state('kept', 'Make another address', {
    answers: made,
    act: async (page) => {
      await press('Revoke it')(page);
      await press('Keep it')(page);
    },
  }),
  state('made', /^This is your address/, { act: press('Make an address') }),
  state('copied', /^Copied|^It is selected/, {
    act: async (page) => {
      await press('Make another address')(page);
      await press('Yes, make another')(page);
      await calendar(page).getByRole('button', { name: /^Copy/ }).click();
    },
  }),
  state('not made', FAILED, {
    act: async (page) => {
      await sent(page, 'calendar', 'fails');
      await press('Make another address')(page);
      await press('Yes, make another')(page);
    },
  }),
  state('revoked', /^Revoked/, {
    act: async (page) => {
      await press('Revoke it')(page);
      await press('Yes, revoke it')(page);
    },
  }),
];

const projects = (items: Partial<ProjectDocument>[]) => () => ({ items: items.map((it) => ({ members: [], name: PROJECT, parent: null, source: 'api', ...it })) });
const member = (user: string, manager = false) => ({ user, manager, source: 'api' });
const PROJECTS: State[] = [
  state('in none', 'You are in no project.', { answers: { projects: projects([]) } }),
  state('in several', '(managed by you)', {
    answers: {
      me: (real: MeDocument) => ({ ...real, manages: [PROJECT] }),
      projects: projects([
        { parent: 'physics-of-the-whole-university-and-its-partners', members: [member(USER, true), ...range(30, (index) => member(`user${index}@hpc.example.org`, index < 4))] },
        { name: 'empty' },
        { name: 'without-managers', members: [member('ada')] },
      ]),
    },
  }),
];

const HOOK = `https://hooks.example.org/${'services/'.repeat(12)}wattbook`;
const mails = (more: Partial<NotificationDocument> = {}): NotificationDocument => ({
  address: null, begins_soon_min: 15, kinds: ['confirmed', 'degraded'], pending_address: null, sends_mails: true, webhook_secret: null, webhook_status: null, webhook_url: null, ...more,
});
const told = (more: Partial<NotificationDocument> = {}) => ({ notifications: () => mails(more) });
const notes = (page: Page) => card(page, 'Notifications');
/** Fills in a field of the notifications and presses what is beside it. */
const note = (label: string, text: string, button: string, answer?: unknown) => async (page: Page) => {
  if (answer !== undefined) for (const path of ['notifications', 'notifications/confirm']) await sent(page, path, answer);
  await notes(page).getByLabel(label, { exact: true }).fill(text);
  await notes(page).getByRole('button', { name: button }).click();
};
const NOTIFICATIONS: State[] = [
  state('no mails at this site', 'This site sends no mails.'),
  state('mails to nobody', 'No mails are sent to you.', { answers: told() }),
  state('mails to an address', 'Send none any more', { answers: told({ address: USER }) }),
  state('a code was sent', 'eight digits', { answers: told({ address: USER, pending_address: `second.${USER}` }) }),
  state('a code is asked for', /^A code was sent there/, { answers: told(), act: note('Mail address', USER, 'Send a code', mails({ pending_address: USER })) }),
  state('confirmed', /^Mails go to this address/, {
    answers: told({ pending_address: USER }), act: note('Code', '12345678', 'Confirm', mails({ address: USER })),
  }),
  state('a wrong code', /^✕|code/, {
    answers: told({ pending_address: USER }),
    act: async (page) => {
      await note('Code', '12345678', 'Confirm')(page);
      await notes(page).getByRole('alert').waitFor();
    },
  }),
  state('no mails any more', 'No mails any more.', {
    answers: told({ address: USER }),
    act: async (page) => {
      await sent(page, 'notifications', mails());
      await press('Send none any more')(page);
    },
  }),
  state('is noted', 'By mail', {
    answers: told({ address: USER }),
    act: async (page) => {
      await sent(page, 'notifications', 'waits');
      await notes(page).getByRole('checkbox').first().click();
    },
  }),
  state('noted', 'Noted.', { answers: told({ address: USER }), act: note('Minutes before it begins', '30', 'Set', mails({ address: USER, begins_soon_min: 30 })) }),
  state('wrong minutes', /^Whole minutes/, { answers: told({ address: USER }), act: note('Minutes before it begins', '1.5', 'Set') }),
  state('a webhook', 'It takes what it is sent.', { answers: told({ webhook_url: HOOK, webhook_status: 'ok' }) }),
  state('a webhook that fails', 'it is tried again', { answers: told({ webhook_url: HOOK, webhook_status: 'failing' }) }),
  state('a webhook that is gone', 'so nothing is sent any more', { answers: told({ webhook_url: HOOK, webhook_status: 'stopped' }) }),
  state('a webhook of which nothing is known', 'Another address', { answers: told({ webhook_url: HOOK }) }),
  state('a webhook that may not be', /^✕|public|https/, {
    act: async (page) => {
      await note('Address', 'http://127.0.0.1:9/', 'Send events there')(page);
      await notes(page).getByRole('alert').waitFor();
    },
  }),
  state('a webhook with its secret', /^This secret signs/, { act: note('Address', `https://9.9.9.9/${'services/'.repeat(12)}wattbook`, 'Send events there') }),
  state('asked whether to end it', 'Send no more events there?', { act: (page) => notes(page).getByRole('button', { name: 'End it' }).click() }),
  state('ended', 'Nothing is sent there any more.', {
    act: async (page) => {
      await notes(page).getByRole('button', { name: 'End it' }).click();
      await press('Yes, end it')(page);
    },
  }),
];

const GROUPS: Record<string, State[]> = {
  'the account page': PAGE,
  'how one stands': STANDING,
  quotas: QUOTAS,
  'adjustments of quotas': ADJUSTMENTS,
  'the address of a calendar': CALENDAR,
  projects: PROJECTS,
  notifications: NOTIFICATIONS,
};
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 600_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states)).toEqual({});
  });
}
