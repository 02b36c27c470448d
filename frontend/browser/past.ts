// A service that has run since the beginning of last month: what was booked then is over, some of it was measured, and
// its ledger is stated.

import type { Service } from './service';

/** Reservations that can wait, one a day. */
export const FLEXIBLE = 8;
/** Of these so many are measured while the service still looks on. */
const MEASURED = 3;

/** Last month in UTC, such as `2026-10`, and an instant in it. */
export const lastMonth = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
};
const at = (day: number, hour: number) => `${lastMonth()}-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

interface Booked {
  id: string;
  start: string;
  end: string;
  chosen_offer_id: string | null;
  offers: { offer_id: string; nodes: string[] }[];
}

const METERS = '[[meters]]\nid = "bmc"\nkind = "push"\nperiod_s = 900\n';
/** The ledger waits until everything was measured, and then looks back at all of it. */
const WAITING = `${METERS}[ledger]\ndelay_s = 604800\n`;
const STATING = `${METERS}[ledger]\nbegin_back_s = 8640000\n`;

/** Nodes that draw so many watts while a reservation has them, every quarter of an hour. */
function samples({ start, end, chosen_offer_id, offers }: Booked, power_w: number) {
  const nodes = offers.find((it) => it.offer_id === chosen_offer_id)?.nodes ?? [];
  const found: { node: string; at: string; power_w: number }[] = [];
  for (let time = Date.parse(start); time <= Date.parse(end); time += 900_000) {
    for (const node of nodes) found.push({ node, at: new Date(time).toISOString(), power_w });
  }
  return found;
}

/** Lives through last month, and is there now; half an hour ago it did something `lately`, where that is given. */
export async function past(service: Service, lately?: (service: Service) => Promise<void>): Promise<void> {
  await service.start({ at: at(2, 8), settings: WAITING });
  const ids: string[] = [];
  for (let day = 3; day < 3 + FLEXIBLE; day += 1) {
    const request = { nodes: 4, duration_s: 7200, earliest_start: at(day, 10), latest_start: at(day, 23), project: day % 2 ? 'ocean' : 'ice' };
    const { id } = await service.call<Booked>('POST', 'reservations', request);
    await service.call('POST', `reservations/${id}/choose`, { ranking: 'cost_co2_energy' });
    ids.push(id);
  }
  await service.kill();
  await service.start({ at: at(3 + MEASURED, 20), settings: WAITING });
  for (const id of ids.slice(0, MEASURED)) {
    const booked = await service.call<Booked>('GET', `reservations/${id}`);
    await service.call('POST', 'measurements', { meter: 'bmc', samples: samples(booked, 150) });
  }
  await service.kill();
  if (lately) {
    await service.start({ at: new Date(Date.now() - 1_800_000).toISOString().replace(/\.\d+/, ''), settings: WAITING });
    await lately(service);
    await service.kill();
  }
  await service.start({ settings: STATING });
  const stated = async () => (await service.call<{ stated_to: string | null }>('GET', 'ledger/totals')).stated_to ?? '';
  const soon = Date.now() + 120_000;
  const goal = new Date(Date.now() - 3 * 3_600_000).toISOString();
  while ((await stated()) < goal) {
    if (Date.now() > soon) throw new Error('the ledger does not come to an end');
    await new Promise((done) => setTimeout(done, 500));
  }
}
