// Reads what the questions need of the service.

import { Failure, api, sendJson, unwrap } from '../api/client';
import type { IntensityPiece, PricePiece, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import type { Month } from '../time/months';
import { DAY } from '../time/words';
import { readAgenda } from '../ui/readAgendas';
import type { Table } from './experiment';
import { priceTable } from './prices';
import { KNOWN, betterKnown, monthBody, policiesBody, pricesBody, type Body } from './questions';
import { played, reach, without, type PlayedRequest } from './replay';
import type { Simulation } from './results';

/** States of reservations that had, have or will have their nodes. */
const STATES = 'confirmed,active,completed';

export type Tell = (words: string) => void;

/** Reservations that start in a month, in the order in which they were made, of those that the caller sees. */
async function readReservations(month: Month, tell: (found: number) => void): Promise<ReservationDocument[]> {
  const [from, to] = [Date.parse(month.from), Date.parse(month.to)];
  const found: ReservationDocument[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { state: STATES, from: month.from, to: month.to, limit: 1000, ...(cursor ? { cursor } : {}) };
    const page = await unwrap(api.GET('/api/v1/reservations', { params: { query } }));
    found.push(...page.items.filter(({ start }) => start && Date.parse(start) >= from && Date.parse(start) < to));
    cursor = page.next_cursor;
    tell(found.length);
  } while (cursor);
  return found;
}

async function requestsOf(month: Month, tell: Tell): Promise<PlayedRequest[]> {
  const texts = language.texts.simulate.ask;
  const read = (found: number) => tell(texts.reading(month.name, found));
  read(0);
  const found = await readReservations(month, read);
  if (found.length > 0) return found.map(played);
  throw new Failure('nothing_booked', texts.nothingBooked(month.name));
}

export const askMonth = async (month: Month, tell: Tell) => monthBody(month, await requestsOf(month, tell));

export async function askPrices(month: Month, perTonne: number, tariff: Table | undefined, tell: Tell): Promise<Body> {
  const { ask: texts, names } = language.texts.simulate;
  if (!(perTonne > 0) && !tariff) throw new Failure('nothing_varied', texts.nothingVaried);
  const requests = await requestsOf(month, tell);
  const { start, end } = reach(requests, month);
  tell(texts.readingPrices(month.name));
  const signal = AbortSignal.timeout(60_000);
  const [price, co2] = await Promise.all([readAgenda('price', start, end, signal), readAgenda('co2', start, end, signal)]);
  const currency = price.unit.split('/')[0] ?? '';
  const table = (extra: number) => priceTable(price.pieces as PricePiece[], co2.pieces as IntensityPiece[], extra);
  return pricesBody(month, requests, {
    [names.asItIs]: table(0),
    ...(perTonne > 0 ? { [names.withCo2Price(perTonne, currency)]: table(perTonne) } : {}),
    ...(tariff ? { [names.otherTariff]: tariff.text } : {}),
  });
}

export async function askPolicies(now: number, requests: number, maxDelay: number, tell: Tell): Promise<Body> {
  tell(language.texts.simulate.ask.lookingForWeeks);
  const today = Math.floor(now / DAY) * DAY;
  const signal = AbortSignal.timeout(60_000);
  const agendas = await Promise.all([
    readAgenda('price', today - KNOWN, today + KNOWN, signal),
    readAgenda('co2', today - KNOWN, today + KNOWN, signal),
  ]);
  return policiesBody(betterKnown(today, agendas), requests, maxDelay);
}

const send = (body: Body) =>
  sendJson<Simulation>('POST', '/api/v1/simulations', body, { 'Idempotency-Key': crypto.randomUUID() });

/** Starts a simulation. Requests that the service refuses, such as for nodes that are gone, are left out, which is told. */
export async function start(body: Body, tell: Tell): Promise<Simulation | null> {
  try {
    return await send(body);
  } catch (error) {
    const rest = error instanceof Failure ? without(body, error.errors) : null;
    if (!rest) throw error;
    tell(rest.why);
    return send(rest.body);
  }
}
