// Something of each kind that has a page of its own, for tests and pictures.

import type { Page } from 'playwright-core';

import { peak } from './peak';
import type { Service } from './service';
import { hours } from './tour';

/** A meter that samples are sent to, and a supplier that can be asked. */
export const SETTINGS = `
[negotiation]
[[meters]]
id = "bmc"
kind = "push"
period_s = 60
`;

export interface Booked {
  id: string;
  start: string;
  end: string;
  owner: string;
  chosen_offer_id: string;
  offers: { offer_id: string; nodes: string[]; energy_j: number; cost: number; co2_g: number }[];
}

export interface Things {
  reservation: Booked;
  /** A node of the reservation, which was measured. */
  node: string;
  simulation: string;
  source: string;
  negotiation: string;
  /** The reservation that the negotiation is about. */
  asker: string;
}

/** Books nodes in so many hours. */
export async function book(service: Service, ahead: number, token = ''): Promise<Booked> {
  const request = { nodes: 4, duration_s: 7200, earliest_start: hours(ahead), latest_start: hours(ahead + 10), note: 'for the review' };
  const made = await service.call<Booked>('POST', 'reservations', request, token);
  return service.call<Booked>('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id }, token);
}

/** Sends what a meter measured of a node in the last two hours, minute by minute. */
async function measure(service: Service, node: string, token: string): Promise<void> {
  const samples = Array.from({ length: 120 }, (_, minute) => ({ node, at: hours(-2 + minute / 60), power_w: 150 + 60 * Math.floor(minute / 30) }));
  await service.call('POST', 'measurements', { meter: 'bmc', samples }, token);
}

/** Makes one of each; `token` is of an operator, `user` of a user, both empty where everybody may do everything. */
export async function things(service: Service, { token = '', user = '' } = {}): Promise<Things> {
  const reservation = await book(service, 2, user);
  const node = reservation.offers.find((it) => it.offer_id === reservation.chosen_offer_id)?.nodes[0] ?? '';
  await measure(service, node, token);
  await service.call('POST', 'outages', { nodes: [node], reason: 'new power supplies', start: hours(60), end: hours(70) }, token);
  const { id: asker } = await peak(service, 12, token, user);
  const experiment = { name: 'What waiting saves', parameters: { nodes: 20, requests: 10, runs: 2 } };
  const { id: simulation } = await service.call<{ id: string }>('POST', 'simulations', experiment, user);
  const { feeds } = await service.call<{ feeds: { id: string }[] }>('GET', 'feeds', undefined, token);
  return { reservation, node, simulation, source: feeds[0]?.id ?? '', negotiation: await asked(service, token), asker };
}

/** The negotiation about extra power, once the supplier was asked. */
async function asked(service: Service, token: string): Promise<string> {
  for (;;) {
    const { items } = await service.call<{ items: { id: string; kind: string }[] }>('GET', 'negotiations', undefined, token);
    const found = items.find((it) => it.kind === 'extra_power');
    if (found) return found.id;
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Where the page of each is, and what stands on it once it is there. */
export const placesOf = ({ reservation, node, simulation, source, negotiation }: Things): Record<string, [hash: string, ready: string | RegExp]> => ({
  reservation: [`#/reservations/${reservation.id}`, 'What was promised, and what came'],
  node: [`#/nodes/${node}`, /^Calibration/],
  simulation: [`#/simulate/${simulation}`, 'Asked for'],
  source: [`#/grid/sources/${source}`, 'What it said'],
  negotiation: [`#/grid/negotiations/${negotiation}`, 'We need more power than the cap leaves.'],
});

/**
 * Has a reservation, which is real, told as one that ended in the last hours with a ledger of its own: tests cannot wait for that
 * long. The first hour was measured, the second is estimated.
 */
export async function asEnded(page: Page, { id, offers, chosen_offer_id }: Booked): Promise<void> {
  const offer = offers.find((it) => it.offer_id === chosen_offer_id);
  if (!offer) throw new Error('no offer was chosen');
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const at = (back: number) => new Date(hour - back * 3_600_000).toISOString().replace('.000', '');
  const drawn = [Math.round(0.6 * offer.energy_j), Math.round(0.3 * offer.energy_j)] as const;
  const energy = drawn[0] + drawn[1];
  await page.route(`**/api/v1/reservations/${id}`, async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as Booked;
    const times = { start: at(3), end: at(1) };
    await route.fulfill({ response: answer, json: { ...json, ...times, state: 'completed', offers: json.offers.map((it) => ({ ...it, ...times })) } });
  });
  await page.route('**/api/v1/reports?**', async (route) => {
    const answer = await route.fetch();
    const row = {
      reservation: id, energy_j: energy, energy_kwh: energy / 3.6e6, measured_j: drawn[0], measured_share: drawn[0] / energy, cost: 1.2 * offer.cost,
      currency: 'EUR', co2_location_kg: (0.75 * offer.co2_g) / 1000, measured_saving_cost: 0, measured_saving_co2_kg: 0,
    };
    const json = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...json, stated_to: at(1), rows: [row] } });
  });
  await page.route('**/api/v1/ledger?**', async (route) => {
    const answer = await route.fetch();
    const items = drawn.map((joules, index) => ({
      hour_start: at(3 - index), holder: 'reservation', reservation_id: id, energy_j: joules, measured_j: index === 0 ? joules : 0,
    }));
    await route.fulfill({ response: answer, json: { items, next_cursor: null } });
  });
}

/** Has a reservation told as one that Slurm has. */
export async function inSlurm(page: Page, { id }: Booked): Promise<void> {
  await page.route(`**/api/v1/reservations/${id}`, async (route) => {
    const answer = await route.fetch();
    const job = { id: '4711', user: 'ada', account: 'physics', state: 'COMPLETED', start: hours(-2), end: hours(-1), nodes: 'aube-[1-4]', energy_j: 3.6e6 };
    const slurm = {
      reservation: `wattbook-${id}`, state: 'in_force', because: null, jobs: [job], jobs_count: 1, node_seconds: { reserved: 28_800, used: 14_400 },
    };
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), slurm } });
  });
}
