import { expect, test } from 'vitest';

import { said } from '../api/said';
import type { FeedDocument, FeedsDocument, NegotiationDocument, OutageDocument, PowerActionDocument, ReservationDocument } from '../api/schema';
import { countWords } from './need';
import { needs, type Answers, type Caller } from './needs';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: NOW, zone: 'UTC' };
const operator: Caller = { operates: true, may: () => true };
const user: Caller = { operates: false, may: (action: string) => ['feed.read', 'power.approve', 'reservation.choose', 'power.read'].includes(action) };
const supplier: Caller = { operates: false, may: (action: string) => ['agenda.publish', 'negotiation.answer', 'feed.read'].includes(action) };
const of = (answers: Answers, caller = operator) => needs(answers, caller, clock);

const feed: FeedDocument = {
  requests: 4, failures: 1, last_poll_at: '2026-03-01T11:59:00Z', id: 'maps', quantity: 'co2', provider: 'electricity-maps', status: 'ok',
  last_success_at: '2026-03-01T10:00:00Z', horizon: null, next_poll_at: null, last_error: null,
};
const failed = (status: string, kind: string): FeedDocument => ({ ...feed, status, last_error: { at: '2026-03-01T11:59:00Z', class: kind, detail: '401 Unauthorized.' } });
const feeds = (...all: FeedDocument[]): FeedsDocument => ({ now: '2026-03-01T12:00:00Z', feeds: all, agendas: [] });

test('nothing needs anybody where all is well, or nothing is known', () => {
  expect(of({})).toEqual([]);
  expect(of({ slurm: { mode: 'none', state: 'absent' }, feeds: feeds(feed, { ...feed, status: 'never' }), outages: [], actions: [], negotiations: [] })).toEqual([]);
  expect(of({ slurm: { mode: 'drive', state: 'unknown' } })).toEqual([]);
});

test('a source that fails or is too old says why, where, and what to do', () => {
  const [need] = of({ feeds: feeds(failed('failing', 'refused')) });
  expect(need).toMatchObject({
    kind: 'warn',
    what: `The last try at a source failed: ${said('401 Unauthorized')}.`,
    where: 'CO₂ intensity from electricity-maps (maps), heard 2 h ago',
    todo: 'Check its address and secret in [[feeds]], and whether the provider still admits you.',
    page: { href: '#/grid', name: 'Grid' },
  });
  expect(of({ feeds: feeds({ ...feed, status: 'late' }) })).toMatchObject([{ kind: 'bad', what: 'The data of a source is too old.' }]);
  expect(of({ feeds: feeds(failed('never', 'transient')) })).toMatchObject([{ kind: 'bad', what: `A source has never answered: ${said('401 Unauthorized')}.` }]);
});

test('what passes by itself needs nobody until the data is too old', () => {
  expect(of({ feeds: feeds(failed('failing', 'busy'), failed('failing', 'not_published')) })).toEqual([]);
  expect(of({ feeds: feeds(failed('late', 'busy')) })).toHaveLength(1);
});

test('a source that gets worse is another thing', () => {
  const keys = (status: string) => of({ feeds: feeds(failed(status, 'refused')) }).flatMap((it) => it.keys);
  expect(keys('failing')).not.toEqual(keys('late'));
});

test('a gap of the coming day needs somebody, and one of next week does not', () => {
  const agenda = { quantity: 'price', chain: ['api', 'maps'], refuse_estimates: false, take: 'order', disagreeing_since: null, disagreements: [], horizon: null, estimated_from: null };
  const gap = (start: string) => of({ feeds: { ...feeds(), agendas: [{ ...agenda, gaps: [{ start, end: '2026-03-09T00:00:00Z' }] }] } });
  expect(gap('2026-03-08T00:00:00Z')).toEqual([]);
  expect(gap('2026-03-02T08:00:00Z')).toMatchObject([{ kind: 'bad', where: 'Price, from api, else maps', what: expect.stringContaining('tomorrow 08:00') }]);
});

test('a lost Slurm says why, and since when', () => {
  const slurm = { mode: 'drive', state: 'unreachable', version: '25.05.3', cluster: 'alpha', because: 'no answer within 10 s.', last_poll_at: '2026-03-01T11:30:00Z' };
  expect(of({ slurm })).toMatchObject([{ kind: 'bad', what: `Slurm does not answer: ${said('no answer within 10 s')}.`, where: 'Slurm 25.05.3 of the cluster alpha, heard last today 11:30' }]);
  const counts = { waiting: 1, in_force: 4, failed: 1, lost: 1 };
  const differences = [{ reservation: 'wattbook-1', because: 'somebody removed it' }];
  expect(of({ slurm: { mode: 'drive', state: 'connected', counts, differences } })).toMatchObject([{ what: '2 reservations are not in Slurm as booked.', keys: ['managed wattbook-1'] }]);
});

test('the safe-mode cap tells that contact is lost, while it holds', () => {
  const piece = { start: '2026-03-01T11:00:00Z', end: '2026-03-01T13:00:00Z', source: 'caps', standing: 'safe_mode', quality: 'forecast', issued_at: null, received_at: '2026-03-01T11:00:00Z' };
  const cap = (standing: string, start = piece.start) => ({ pieces: [], provenance: [{ ...piece, standing, start }] }) as unknown as NonNullable<Answers['cap']>;
  expect(of({ cap: cap('safe_mode') })).toMatchObject([{ kind: 'bad', where: 'Power cap, until today 13:00' }]);
  expect(of({ cap: cap('fresh') })).toEqual([]);
  expect(of({ cap: cap('safe_mode', '2026-03-01T12:30:00Z') })).toEqual([]);
});

const outage = (id: string, owner: string, reason: string, more: Partial<OutageDocument> = {}): OutageDocument => ({
  id, owner, reason, created_at: '2026-03-01T11:00:00Z', start: '2026-03-01T11:00:00Z', end: null, node_count: 1, node_ranges: [[0, 0]], nodes: [id], reservations: [], ...more,
});

test('nodes that are down by themselves need somebody, by reason; announced outages do not', () => {
  const did = (node: string, at: string) => outage(node, 'slurm', `it was to switch on at ${at}, and did not come within 300 s`);
  const found = of({
    outages: [
      did('n1', '2026-03-01T11:00:00Z'), did('n2', '2026-03-01T11:05:00Z'), outage('n3', 'slurm', 'drained: fans', { reservations: ['r1'] }),
      outage('n4', 'grace', 'new fans'), outage('n5', 'slurm', 'was down', { end: '2026-03-01T11:30:00Z' }), outage('n6', 'slurm', 'maintenance', { start: '2026-03-02T00:00:00Z' }),
    ],
  });
  expect(found.map(({ what, where }) => [what, where])).toEqual([
    ['2 nodes are out of service: it was to switch on at today 11:00, and did not come within 300 s.', 'n1, n2'],
    ['1 node is out of service: drained: fans.', 'n3; 1 reservation held some of them'],
  ]);
  expect(found[0]?.keys).toEqual(['outage n1', 'outage n2']);
});

const action = (id: number, state: string): PowerActionDocument => ({
  id, state, action: 'off', asked_by: 'plan', created: '', currency: 'EUR', due: '2026-03-01T13:00:00Z', node: `n${id}`, orders: 0, since: '',
});

test('power actions that wait for approval are one thing, about each of them', () => {
  const [need] = of({ actions: [action(1, 'proposed'), action(2, 'proposed'), action(3, 'ordered')] });
  expect(need).toMatchObject({ what: '2 power actions wait for approval.', where: 'n1, n2', keys: ['power action 1', 'power action 2'] });
  expect(of({ actions: [action(3, 'ordered')] })).toEqual([]);
});

test('only a question without an answer needs somebody, and silence is said to be a no', () => {
  const subject = { power: [{ start: '2026-03-02T12:00:00Z', end: '2026-03-02T14:00:00Z', power_w: 400 }], fee_limit: 2, reservations: ['r'], degraded: [], answer: null };
  const asked: NegotiationDocument = { id: 'x', kind: 'extra_power', state: 'open', opened_at: '', deadline: '2026-03-01T14:00:00Z', subject };
  const answered = { ...asked, subject: { ...subject, answer: 'granted' } };
  expect(of({ negotiations: [asked, answered, { ...asked, kind: 'notice' }] })).toMatchObject([
    { where: '400 W more, tomorrow 12:00 to 14:00, for 1 request', todo: 'Answer for the supplier until today 14:00; silence is a no.' },
  ]);
});

test('a meter and a webhook say since when they are silent', () => {
  const samples = {} as never;
  const polled = { last_poll_at: '2026-03-01T12:00:00Z', last_success_at: '2026-03-01T10:00:00Z', next_poll_at: '2026-03-01T12:01:00Z', notes: [], polls: 9, failures: 2, samples };
  const meter = (in_turn: number) => ({ id: 'bmc', kind: 'redfish', covers: 'node', period_s: 60, unit: 'W', values: 'gauge', polled: { ...polled, failure: { at: '', because: 'timed out', in_turn } } });
  expect(of({ meters: [meter(1)] })).toEqual([]);
  expect(of({ meters: [meter(2)] })).toMatchObject([{ what: `A meter does not answer: ${said('timed out')}.`, where: 'Meter bmc (redfish), heard last today 10:00', page: null }]);
  const webhook = { id: 'pager', url: 'https://pager.example', events: [], delivered: 0, given_up: 0, failures_in_turn: 3, status: 'stopped', last_error: { at: '', detail: '410 Gone' } };
  expect(of({ webhooks: [webhook, { ...webhook, status: 'ok' }] })).toMatchObject([{ what: `A webhook does not take events: ${said('410 Gone')}.`, where: 'Webhook pager, https://pager.example' }]);
});

test('a reservation that lost nodes tells its owner the way out', () => {
  const lost = {
    id: 'r1', degraded: true, start: '2026-03-01T14:00:00Z', end: '2026-03-01T16:00:00Z', request: { nodes: 4, duration_s: 7200 },
    notice: { code: 'outage', causes: ['outage'], missing_nodes: 2, detail: 'two nodes failed', way_out: 'choose another start' },
  } as unknown as ReservationDocument;
  expect(of({ reservations: [lost, { ...lost, degraded: false }] }, user)).toMatchObject([
    { where: '4 nodes for 2 h, today 14:00 to 16:00', todo: `${said('Two nodes failed.')} ${said('Choose another start.')}`, page: { href: '#/reservations/r1' } },
  ]);
});

test('nobody is told of what they can do nothing about, and what is broken comes first', () => {
  const all: Answers = {
    slurm: { mode: 'observe', state: 'unreachable' }, feeds: feeds(failed('failing', 'refused')), outages: [outage('n1', 'slurm', 'down')], actions: [action(1, 'proposed')],
  };
  expect(of(all).map((it) => it.kind)).toEqual(['bad', 'bad', 'warn', 'warn']);
  expect(of(all, user)).toEqual([]);
  expect(of(all, supplier)).toEqual([]);
});

test('how many things need somebody is said in words', () => {
  expect([0, 1, 2].map(countWords)).toEqual(['', '1 thing needs somebody', '2 things need somebody']);
});
