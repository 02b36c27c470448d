// The overview and the schedule in each of their states: nothing lies over anything else, and everybody can use them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type {
  AgendaDocument, FeedsDocument, OccupancyDocument, OutageDocument, PowerActionDocument, PowerDocument, ReservationDocument, ScheduleItem,
} from '../src/api/schema';
import { NEGOTIATION, peak } from './peak';
import { FAILED, inspectStates, isChosen, type State } from './states';
import { hours, tour } from './tour';

const { service, visit } = tour({ settings: NEGOTIATION, prepare: (service) => service.cancelAll() });

const OWNER = 'computational-fluid-dynamics';

const outage = (index: number, reason: string): OutageDocument => ({
  id: `o${index}`, owner: 'slurm', reason, created_at: hours(-1), start: hours(-1), end: null, node_count: 1, node_ranges: [[index, index]],
  nodes: [`aube-${index + 1}`], reservations: index % 2 ? [`r${index}`] : [],
});
const action = (id: number): PowerActionDocument => ({
  id, state: 'proposed', action: 'off', asked_by: 'plan', created: hours(-1), currency: 'EUR', due: hours(1), node: `aube-${id}`, orders: 0, since: hours(-1),
});
const bookings = (many: number, start: number): ScheduleItem[] => Array.from({ length: many }, (_, index) => ({
  reservation_id: `r${start}-${index}`, offer_id: `o${start}-${index}`, owner: `${OWNER}-${index}`, start: hours(start), end: hours(start + 2 + index / 10),
  state: 'confirmed', node_ranges: [[index, index]],
}));
const powers = (real: PowerDocument): PowerDocument => ({
  ...real,
  site_power_w: 12_345.6,
  reserved_power_w: 12_345.6,
  above_plan_since: hours(-1),
  cluster: { ...real.cluster, measured_nodes: 44, measured_power_w: 9876.5 },
  reservations: Array.from({ length: 60 }, (_, index) => ({
    reservation_id: `r-1-${index}`, owner: `${OWNER}-${index}`, nodes: 1, measured_nodes: 1, measured_power_w: 123.4, planned_of_measured_w: 100,
    planned_power_w: 100, above_plan_since: index < 2 ? hours(-0.5) : null,
  })),
});

/** Everything that may need somebody, by what tells of it. */
const NEEDS: Record<string, (real: never) => unknown> = {
  slurm: () => ({
    mode: 'drive', state: 'connected', version: '25.05.3', cluster: 'alpha', because: 'the clocks are 40 s apart', counts: { waiting: 0, in_force: 4, failed: 1, lost: 1 },
    differences: [{ reservation: 'wattbook-01a21cfd-3e41-77ea-8d42-9412fd24bdb1', because: 'somebody removed it' }],
    nodes: { known: 30, unknown: [], missing: Array.from({ length: 9 }, (_, index) => `aube-${index}`), renamed: [] },
  }),
  feeds: (real: FeedsDocument): FeedsDocument => {
    const [one, ...others] = real.feeds;
    if (!one) throw new Error('there is no feed');
    const error = (kind: string) => ({ at: hours(-1), class: kind, detail: 'https://api.example.org/v3/power-breakdown/forecast?zone=FR answered 401 Unauthorized' });
    const failed = ['late', 'failing', 'never'].map((status, index) => ({
      ...one, id: `source-${index}`, status, last_error: error('refused'), last_success_at: status === 'never' ? null : hours(-40),
    }));
    const agendas = real.agendas.map((it) => ({ ...it, gaps: [{ start: hours(2), end: hours(5) }] }));
    return { ...real, feeds: [...failed, one, ...others], agendas };
  },
  'agendas/power-cap': (real: AgendaDocument): AgendaDocument => ({
    ...real, provenance: real.provenance.map((it) => ({ ...it, start: hours(-1), end: hours(12), standing: 'safe_mode' })),
  }),
  outages: () => ({
    items: [...Array.from({ length: 9 }, (_, index) => outage(index, `it was to switch on at ${hours(-1)}, and did not come within 300 s`)), outage(20, 'drained: fans')],
    next_cursor: null,
  }),
  'power-actions': (real: { actions: PowerActionDocument[] }) => ({ ...real, actions: Array.from({ length: 8 }, (_, index) => action(index + 1)) }),
  meters: () => {
    const polled = { last_poll_at: hours(0), last_success_at: hours(-2), next_poll_at: hours(1), notes: [], polls: 9, failures: 2, samples: {}, failure: { at: hours(0), because: 'timed out', in_turn: 3 } };
    return { meters: [{ id: 'bmc', kind: 'redfish', covers: 'node', period_s: 60, unit: 'W', values: 'gauge', polled }] };
  },
  webhooks: () => ({
    newest_event: 1,
    items: [{
      id: 'pager', url: 'https://pager.example.org/services/notifications/wattbook/events', events: [], delivered: 0, given_up: 0, failures_in_turn: 3,
      status: 'stopped', last_error: { at: hours(0), detail: '410 Gone' },
    }],
  }),
  power: powers,
  reservations: () => ({
    items: ['confirmed', 'proposed', 'awaiting_supplier'].map((state) => ({
      id: `01a21cfd-${state}`, owner: OWNER, state, degraded: state === 'confirmed', start: hours(2), end: hours(4), request: { nodes: 4, duration_s: 7200 }, offers: [],
      notice: { code: 'outage', causes: ['outage'], missing_nodes: 2, detail: 'two nodes failed', way_out: 'choose another start' },
    })) as unknown as ReservationDocument[],
    next_cursor: null,
  }),
};
const ALL_NEEDS = '19 things need somebody';

const MUCH = {
  schedule: () => ({ items: [...bookings(20, -1), ...bookings(20, 3)] }),
  power: powers,
  'power-profile': (real: { steps: object[] }) => ({ ...real, steps: real.steps.map((it) => ({ ...it, cap_w: null })) }),
  'power-actions': (real: object, asked: URL) => {
    const isFinal = asked.searchParams.get('state') === 'final';
    return { ...real, actions: isFinal ? [{ ...action(1), state: 'done' }, { ...action(2), state: 'done' }] : [] };
  },
};

/** The cap as an estimate of the site. */
const ESTIMATED = {
  'agendas/power-cap': (real: AgendaDocument): AgendaDocument => ({ ...real, provenance: real.provenance.map((it) => ({ ...it, source: '', quality: 'estimated' })) }),
};
const DASHED = 'Dashed: an estimate of this site.';

const alert = (page: Page) => page.getByRole('button', { name: 'Alert me on this device' });
const OVERVIEW: State[] = [
  { name: 'nothing runs', at: 'overview', there: 'Nothing that is booked begins within a day.' },
  { name: 'much runs', at: 'overview', answers: MUCH, there: /^12 more reservations: the/ },
  { name: 'too much to be listed', at: 'overview', answers: { occupancy: (real: OccupancyDocument) => ({ ...real, reservations: 4000 }) }, there: /^4,000 reservations: the/ },
  { name: 'everything needs somebody', at: 'overview', answers: NEEDS, there: ALL_NEEDS },
  { name: 'an estimated cap', at: 'overview', answers: ESTIMATED, there: DASHED },
  { name: 'rights cannot be read', at: 'overview', answers: { rights: 'fails' }, there: FAILED },
  { name: 'display, rights cannot be read', at: 'overview?kiosk', answers: { rights: 'fails' }, there: FAILED },
  { name: 'parts cannot be read', at: 'overview', answers: { 'power-profile': 'fails', feeds: 'fails' }, there: FAILED },
  { name: 'no source', at: 'overview', answers: { feeds: (real: FeedsDocument) => ({ ...real, feeds: [] }) }, there: /^No feed is set up/ },
  { name: 'display, nothing runs', at: 'overview?kiosk', there: 'Nothing needs anybody' },
  { name: 'display, much runs', at: 'overview?kiosk', answers: MUCH, there: /more within a day$/ },
  { name: 'display, everything needs somebody', at: 'overview?kiosk', answers: NEEDS, there: ALL_NEEDS },
  { name: 'display, parts cannot be read', at: 'overview?kiosk', answers: { 'power-profile': 'fails' }, there: FAILED },
  {
    name: 'display, the service is lost', at: 'overview?kiosk', there: /^No contact with the service/,
    act: async (page) => {
      await page.getByText('Nothing needs anybody').waitFor();
      await page.route('**/api/**', (route) => route.abort());
      await page.evaluate(`dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))`);
    },
  },
];

test('the overview, whatever runs and whatever needs somebody', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, OVERVIEW)).toEqual({});
});

test('the overview, with alerts asked for and on', { timeout: 60_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, permissions: ['notifications'] });
  const states: State[] = [
    { name: 'alerts can be had', at: 'overview', there: 'Alert me on this device' },
    { name: 'alerts are on', at: 'overview', act: (page) => alert(page).click(), there: 'Stop alerts on this device' },
  ];
  expect(await inspectStates(page, service.url, states)).toEqual({});
});

interface Made {
  id: string;
  offers: { offer_id: string }[];
}
/** Reservations that were chosen, held and displaced, and nodes that are out of service. */
async function fill(): Promise<string> {
  let id = '';
  for (const [index, nodes] of [3, 12, 20].entries()) {
    const request = { nodes, duration_s: 5400, earliest_start: hours(1 + 3 * index), latest_start: hours(2 + 3 * index) };
    const made = await service.call<Made>('POST', 'reservations', request);
    if (index < 2) await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    id ||= made.id;
  }
  await service.call('POST', 'outages', { nodes: ['aube-20', 'aube-21'], reason: 'new power supplies', end: hours(9) });
  await peak(service, 12);
  return id;
}

/** Goes by a key to what runs on the first node, whose tip opens. */
async function openTip(page: Page): Promise<void> {
  const chart = page.getByRole('img', { name: /^Schedule of nodes/ });
  await page.getByText(/^[1-9]\d* reservations in view$/).waitFor();
  await chart.press('Escape');
  await chart.press('ArrowRight');
  await page.locator('.tip').waitFor();
}
const SCHEDULE: State[] = [
  { name: 'empty', at: 'schedule', answers: { schedule: () => ({ items: [] }) }, there: '0 reservations in view' },
  { name: 'booked, held and out', at: 'schedule', there: /^[1-9]\d* reservations in view$/ },
  { name: 'in groups', at: 'schedule', answers: { occupancy: (real: OccupancyDocument) => ({ ...real, reservations: 4000 }) }, there: /^All 44 nodes, in groups of 2/ },
  { name: 'an estimated cap', at: 'schedule', answers: ESTIMATED, there: DASHED },
  { name: 'single nodes', at: 'schedule?nodes=0-9', there: '◀ Wider' },
  { name: 'four weeks', at: 'schedule', act: (page) => page.getByLabel('Span').selectOption('4 weeks'), there: /^[1-9]\d* reservations in view$/ },
  {
    name: 'zoomed', at: 'schedule', there: /^\d+ reservations? in view$/,
    act: async (page) => {
      await page.getByRole('button', { name: 'Zoom in' }).click({ clickCount: 3 });
      await isChosen('Span', '0')(page);
    },
  },
  { name: 'of one owner', at: 'schedule?of=local', act: isChosen('Of whom', 'local'), there: /^[1-9]\d* reservations? in view$/ },
  { name: 'many reservations', at: 'schedule', answers: { schedule: () => ({ items: [...bookings(40, -1), ...bookings(40, 3)] }) }, there: /^The first 50 of 80\./ },
  { name: 'more is drawn than planned', at: 'schedule', answers: { power: powers }, there: /^Nodes of the cluster have drawn more than planned since/ },
  { name: 'power cannot be read', at: 'schedule', answers: { power: 'fails' }, there: FAILED },
  { name: 'the book cannot be read', at: 'schedule', answers: { occupancy: 'fails' }, there: FAILED },
  { name: 'the book is read', at: 'schedule', answers: { occupancy: 'waits' }, there: 'Reading the book …' },
  { name: 'a tip is open', at: 'schedule', answers: { schedule: MUCH.schedule }, act: openTip, there: `${OWNER}-0`, again: openTip },
];

test('the schedule, empty, full and told of', { timeout: 600_000 }, async () => {
  const picked = await fill();
  const { page } = await visit('', { bypassCSP: true });
  const marked: State = {
    name: 'a reservation is picked', at: `schedule?reservation=${picked}`, act: (page) => page.locator('tr.picked').waitFor(), there: /^[1-9]\d* reservations in view$/,
  };
  expect(await inspectStates(page, service.url, [...SCHEDULE, marked])).toEqual({});
});
