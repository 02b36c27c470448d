// A peak above the cap: what is asked of the supplier, in tests and in pictures.

import type { Page } from 'playwright-core';

import type { Service } from './service';

/** So many days ahead at this hour, UTC. */
export const day = (ahead: number, hour = 0) =>
  `${new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00Z`;

/** What no more than a few nodes can run under. */
const LOW_W = 6000;

/** The settings that let the supplier be asked. */
export const NEGOTIATION = '[negotiation]\n';

/** Lowers the cap over a span. */
export const lower = (service: Service, start: string, end: string, token = '') =>
  service.call('PUT', 'agendas/power-cap', [{ start, end, cap_w: LOW_W }], token);

export interface Made {
  id: string;
  state: string;
  offers: { offer_id: string }[];
}

/** Asks for the power that 30 nodes lack for two hours at noon of that day, whose cap is lowered before. */
export async function peak(service: Service, ahead: number, operator = '', user = operator): Promise<Made> {
  await lower(service, day(ahead), day(ahead + 1), operator);
  const at = day(ahead, 12);
  const request = { nodes: 30, duration_s: 7200, earliest_start: at, latest_start: at, on_cap: 'negotiate', extra_power_fee_limit: 2 };
  return service.call<Made>('POST', 'reservations', request, user);
}

/** Fills the plan's form with a peak on that day, whose cap was lowered, and waits until it may be asked for. */
export async function askForm(page: Page, ahead: number): Promise<void> {
  await page.getByLabel('Nodes', { exact: true }).fill('30');
  await page.getByLabel('It can wait').selectOption('0');
  await page.getByLabel('Not before').fill(day(ahead, 12).slice(0, 16));
  await page.getByText('The power cap is too low').waitFor();
  await page.getByRole('button', { name: 'Ask the supplier for more power' }).waitFor();
}
