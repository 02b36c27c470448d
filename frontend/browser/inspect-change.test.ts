// The forms that change a reservation, in each of their states: nothing lies over anything else, and everybody can use them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { MeDocument, ReservationDocument } from '../src/api/schema';
import { NOTE, OWNER, PROJECT, as, booking, held, none, press, problem, proposed, sent } from './bookings';
import { LONG } from './decisions';
import { FAILED, fail, inspectStates, type State } from './states';
import { book, type Booked } from './things';
import { hours, tour } from './tour';

let real: Booked;
const { service, visit } = tour({ prepare: async (service) => void (real = await book(service, 30)) });

type Fields = Record<string, string>;
/** The reservation that there is, told as another, with the form of this change. */
function state(name: string, there: State['there'], told: ReservationDocument, action: string, act?: (page: Page) => Promise<unknown>, more: State['answers'] = {}) {
  return (): State => ({
    name, there, at: `reservations/${real.id}`, answers: { [`reservations/${real.id}`]: () => ({ ...told, id: real.id }), ...more },
    act: async (page) => {
      await press(/^Change$/)(page);
      if (action) await page.getByRole('group', { name: 'What to change' }).getByRole('button', { name: action }).click();
      await act?.(page);
    },
  });
}
const form = (page: Page) => page.locator('.change form');
/** Fills the form and presses its button; `answer` is what the service says. */
const say = (fields: Fields, button = '', answer?: object | 'waits' | 'fails') => async (page: Page) => {
  if (answer !== undefined) await sent(page, new RegExp(`/reservations/${real.id}(/\\w+)?$`), answer);
  for (const [label, text] of Object.entries(fields)) {
    const field = form(page).getByLabel(label, { exact: true });
    if ((await field.evaluate((it) => it.tagName)) === 'SELECT') await field.selectOption(text);
    else await field.fill(text);
  }
  if (button) await form(page).getByRole('button', { name: button, exact: true }).click();
};
const both = (...acts: ((page: Page) => Promise<unknown>)[]) => async (page: Page) => {
  for (const act of acts) await act(page);
};
const booked = booking(1, { owner: OWNER, project: PROJECT });
const running = booking(1, { state: 'active', offers: [held(-1, { end: hours(1) })], owner: OWNER });
const wrongAt = (...fields: string[]) =>
  problem(422, 'invalid', 'the change is not valid', { errors: fields.map((it) => ({ pointer: `/${it}`, detail: `${LONG} is none that the site knows, nor one that it could be` })) });
const QUOTA = problem(422, 'quota', 'a quota allows no more', {
  rules: 'default', rule: `${LONG},${PROJECT},*,${OWNER}`, measure: 'node_hours', limit: 123_456, used: 120_000, left: 3456, asked: 9999, per: 'week', from: hours(-20), to: hours(100), next_start: hours(100),
});
const NEWER = problem(412, 'version_mismatch', 'there is a newer version');

const WHAT = [
  state('of what is booked', /^It is planned anew/, booked, ''),
  state('of what is proposed', /The offers that you hold stay yours/, proposed(1), ''),
  state('of what runs', /^It keeps its own nodes/, running, ''),
  state('of what waits for the supplier', 'Labels', none(1, 'awaiting_supplier', { expires_at: hours(3) }), ''),
  state('by a user, who gives no priority', /^It is planned anew/, booking(1), '', undefined, { rights: as('user') }),
  state('is read', /^Reading how it stands/, booked, '', undefined),
  state('cannot be read', FAILED, booked, '', undefined),
  state('changed in the meantime', /^It was changed in the meantime/, booked, 'Modify', say({ Nodes: '4' }, 'Modify', NEWER)),
  state('refused for reasons of its own', /is over/, booked, 'Modify', say({ Nodes: '4' }, 'Modify', problem(409, 'conflict', `the reservation ${LONG} is over`))),
  state('refused by a quota', /^Not booked|quota/i, booked, 'Modify', say({ Nodes: '4' }, 'Modify', QUOTA)),
  state('too much is asked', FAILED, booked, 'Modify', say({ Nodes: '4' }, 'Modify', 'fails')),
  state('wrong where no field is', /None of these nodes|is none that/, booked, 'Modify', say({ Nodes: '4' }, 'Modify', wrongAt('tolerance', 'search'))),
];
/** What the form of a change reads does not come, or fails: the page itself is there. */
const unread = (how: 'waits' | 'fails') => (state: State): State => ({
  ...state,
  act: async (page) => {
    await page.getByRole('button', { name: /^Change$/ }).waitFor();
    await page.route((url) => url.pathname.endsWith(`/reservations/${real.id}`), (route) => (how === 'fails' ? fail(route) : undefined));
    await state.act?.(page);
  },
});

const all = { Nodes: 'many', 'For how long': 'long', 'Not before': '', 'Latest start': '', 'Utilisation, %': '200' };
const MODIFY = [
  state('nothing changed', 'Utilisation, %', booked, 'Modify'),
  state('ends with a latest end', 'Finished by', booked, 'Modify', say({ 'The window ends with': 'end' })),
  state('was asked with a latest end', 'Finished by', booking(1, { request: { ...booking(0).request, latest_start: null, latest_end: hours(40) } }), 'Modify'),
  state('everything is wrong', 'Percent, above 0 and up to 100.', booked, 'Modify', say(all, 'Modify')),
  state('everything is refused', 'Utilisation, %', booked, 'Modify', both(
    say({ Nodes: '4' }, 'Modify', wrongAt('nodes', 'duration_s', 'earliest_start', 'latest_start', 'labels', 'utilisation', 'partition')),
    (page) => form(page).getByText(LONG).first().waitFor(),
  )),
  state('is planned anew', /^Being planned anew/, booked, 'Modify', say({ Nodes: '4', Application: LONG, Partition: LONG }, 'Modify', 'waits')),
  state('modified', /^Modified: it is planned/, booked, 'Modify', say({ Nodes: '4', 'Of the starts that fit, the': 'co2_cost_energy' }, 'Modify', booked)),
  state('modified, of offers', /^Modified: these are/, proposed(1), 'Modify', say({ Nodes: '4' }, 'Modify', booked)),
];
const EXTEND = [
  state('by a length', /^It keeps its own nodes/, booked, 'Extend'),
  state('until a time', 'Until', booked, 'Extend', say({ How: 'until' })),
  state('by no length', /^A length|h\b.*min/, booked, 'Extend', say({ By: 'long' }, 'Extend')),
  state('until a time before', 'A time after its end.', booked, 'Extend', both(say({ How: 'until' }), say({ Until: '2020-01-01T00:00' }, 'Extend'))),
  state('refused at its field', new RegExp(LONG), booked, 'Extend', say({}, 'Extend', wrongAt('until'))),
  state('the most that fits', /the most that fits$/, booked, 'Extend', say({ By: '900h' }, 'Extend', problem(422, 'impossible', `its nodes are ${OWNER}’s from then on`, { longest_s: 123_456 }))),
  state('nothing more fits', /from then on/, booked, 'Extend', say({ By: '900h' }, 'Extend', problem(422, 'impossible', `its nodes are ${OWNER}’s from then on`, { longest_s: null }))),
  state('extended', /^Extended: /, booked, 'Extend', say({}, 'Extend', booked)),
];
const RELEASE = [
  state('all of it', 'End it now', running, 'Give back'),
  state('some nodes', 'How many', running, 'Give back', say({ 'Give back': 'some' })),
  state('named nodes', 'Which', running, 'Give back', say({ 'Give back': 'named' })),
  state('too many', /^A whole number of nodes, less/, running, 'Give back', both(say({ 'Give back': 'some' }), say({ 'How many': '99' }, 'Give back'))),
  state('no names', /^The name of a node/, running, 'Give back', say({ 'Give back': 'named' }, 'Give back')),
  state('asked whether to end it', 'Yes, end it now', running, 'Give back', say({}, 'End it now')),
  state('asked whether to give some back', 'Yes, give them back', running, 'Give back', say({ 'Give back': 'some' }, 'Give back')),
  state('refused as a whole', new RegExp(LONG), running, 'Give back', both(say({}, 'End it now', wrongAt('nodes')), say({}, 'Yes, end it now'))),
  state('refused at its names', new RegExp(LONG), running, 'Give back', both(
    say({ 'Give back': 'named' }), say({ Which: `${LONG}, aube-1` }, 'Give back', wrongAt('node_names')), say({}, 'Yes, give them back'),
  )),
  state('given back', /^Given back: it has ended/, running, 'Give back', both(say({}, 'End it now', running), say({}, 'Yes, end it now'))),
  state('some given back', /^Given back: the other/, running, 'Give back', both(say({ 'Give back': 'some' }, 'Give back', running), say({}, 'Yes, give them back'))),
];
const SWAP = [
  state('those out of service', /^Others that are free/, booked, 'Swap nodes'),
  state('named ones', 'Which', booked, 'Swap nodes', say({ Swap: 'named' })),
  state('no names to swap', /^The name of a node/, booked, 'Swap nodes', say({ Swap: 'named' }, 'Swap')),
  state('not swapped', new RegExp(LONG), booked, 'Swap nodes', say({}, 'Swap', wrongAt('nodes'))),
  state('swapped', /^Swapped: /, booked, 'Swap nodes', say({}, 'Swap', booked)),
];

const labelled = booking(1, { project: PROJECT, request: { ...booking(0).request, note: NOTE, labels: { application: LONG, [LONG]: '3' } } });
const projects = (...names: string[]) => ({ me: (it: MeDocument) => ({ ...it, projects: names }) });
const DESCRIBE = [
  state('a note and labels', 'a line each: application = nemo', labelled, 'Labels and note'),
  state('in one project', 'Labels', labelled, 'Labels and note', undefined, projects(PROJECT)),
  state('in several projects', 'Labels', labelled, 'Labels and note', undefined, projects('ocean', 'ice')),
  state('a wrong line', /^Each line is a name/, labelled, 'Labels and note', say({ Labels: 'nemo' })),
  state('all refused', new RegExp(LONG), labelled, 'Labels and note', say({ Note: 'mine' }, 'Save', wrongAt('note', 'labels', 'project'))),
  state('saved', 'Saved.', labelled, 'Labels and note', say({ Note: 'mine' }, 'Save', labelled)),
];

const withMany = booking(1, { shared_with: [{ user: OWNER, may: 'see' }, { project: PROJECT, may: 'act' }, { user: LONG, may: 'use' }, { project: LONG, may: 'something-else' }] });
const stopSharing = (answer: object | 'waits' | 'fails') => async (page: Page) => {
  await sent(page, /\/unshare$/, answer);
  await press(`End sharing it with ${OWNER}`)(page);
};
const SHARE = [
  state('with nobody', /^It is shared with nobody/, booked, 'Share'),
  state('with many', /may see, use, change and cancel it$/, withMany, 'Share'),
  state('of what waits for the supplier', /^It is shared with nobody/, none(1, 'awaiting_supplier', { expires_at: hours(3) }), 'Share'),
  state('no names at all', /^The name of somebody/, booked, 'Share', say({}, 'Share')),
  state('all of it refused', new RegExp(LONG), booked, 'Share', both(
    say({ Users: `${LONG}, bob`, Projects: PROJECT, 'They may': 'act' }, 'Share', wrongAt('with', 'projects', 'may')), (page) => form(page).getByText(LONG).first().waitFor(),
  )),
  state('not shared', FAILED, booked, 'Share', say({ Users: 'bob' }, 'Share', 'fails')),
  state('is shared', 'They may', withMany, 'Share', say({ Users: `${OWNER}, ${LONG}` }, 'Share', 'waits')),
  state('shared', 'Shared.', withMany, 'Share', say({ Projects: PROJECT }, 'Share', withMany)),
  state('sharing is ended', 'They may', withMany, 'Share', stopSharing('waits')),
  state('sharing was ended', /^Not shared with/, withMany, 'Share', stopSharing(withMany)),
  state('sharing is not ended', FAILED, withMany, 'Share', stopSharing('fails')),
  state('sharing of a newer one is not ended', /^It was changed in the meantime/, withMany, 'Share', stopSharing(NEWER)),
];

const give = (name: string, answer: object | 'waits' | 'fails') => both(say({ 'New owner': name }, 'Transfer', answer), say({}, 'Yes, transfer it'));
const TRANSFER = [
  state('the form', /^It counts for the new owner/, booked, 'Transfer'),
  state('no new owner', 'The name of the new owner.', booked, 'Transfer', say({}, 'Transfer')),
  state('the owner that it has', 'It is theirs already.', booked, 'Transfer', say({ 'New owner': OWNER }, 'Transfer')),
  state('asked whether to transfer it', /^Really give it to/, booked, 'Transfer', say({ 'New owner': LONG }, 'Transfer')),
  state('kept', 'New owner', booked, 'Transfer', both(say({ 'New owner': LONG }, 'Transfer'), say({}, 'Keep it'))),
  state('refused as its owner', new RegExp(LONG), booked, 'Transfer', both(give('bob', wrongAt('owner')), (page) => form(page).getByText(LONG).first().waitFor())),
  state('forbidden', /may not reservation/, booked, 'Transfer', give('bob', problem(403, 'forbidden', `user:${OWNER} may not reservation.transfer of ${LONG}`))),
  state('refused by a quota of the other', /quota/i, booked, 'Transfer', give('bob', QUOTA)),
  state('not transferred', FAILED, booked, 'Transfer', give('bob', 'fails')),
  state('is transferred', 'New owner', booked, 'Transfer', give('bob', 'waits')),
  state('transferred', /^Transferred: it is/, booked, 'Transfer', give(`second.${OWNER}`, booked)),
];

const urgent = booking(1, { owner: OWNER, priority: 1000, request: { ...booking(0).request, priority: 1000 } });
const PRIORITY = [
  state('of what has none', /only if its start/, booked, 'Priority'),
  state('of what has the highest', /only if its start/, urgent, 'Priority'),
  state('of offers', /^0 to 1,000/, proposed(1), 'Priority'),
  state('none that there is', 'A whole number, 0 to 1,000.', booked, 'Priority', say({ Priority: '1001' }, 'Set the priority')),
  state('refused as one', new RegExp(LONG), booked, 'Priority', both(say({ Priority: '7' }, 'Set the priority', wrongAt('priority')), (page) => form(page).getByText(LONG).first().waitFor())),
  state('no longer the same start', new RegExp(LONG), booked, 'Priority', say({ Priority: '7' }, 'Set the priority', problem(409, 'offer_changed', `the start of ${LONG} would not be the same`))),
  state('is planned anew for it', /^Being planned anew/, booked, 'Priority', say({ Priority: '7' }, 'Set the priority', 'waits')),
  state('not set', FAILED, booked, 'Priority', say({ Priority: '7' }, 'Set the priority', 'fails')),
  state('set', 'Its priority is 7 now.', urgent, 'Priority', say({ Priority: '7' }, 'Set the priority', urgent)),
];

const GROUPS: Record<string, (() => State)[]> = {
  'what is changed': WHAT, modifications: MODIFY, extensions: EXTEND, 'giving back': RELEASE, swaps: SWAP, 'labels and notes': DESCRIBE, sharing: SHARE,
  transfers: TRANSFER, priorities: PRIORITY,
};
const HOW: Record<string, 'waits' | 'fails'> = { 'is read': 'waits', 'cannot be read': 'fails' };
for (const [name, made] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 900_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    const states = made.map((it) => it()).map((it) => (HOW[it.name] ? unread(HOW[it.name]!)(it) : it));
    expect(await inspectStates(page, service.url, states)).toEqual({});
  });
}
