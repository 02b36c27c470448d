// The questions that the page asks simulations, and the experiments that answer them.

import type { AgendaDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import type { Month } from '../time/months';
import { DAY, iso } from '../time/words';
import { covered } from './prices';
import { reach, type PlayedRequest } from './replay';

export const QUESTIONS = ['month', 'prices', 'policies'] as const;
export type Question = (typeof QUESTIONS)[number];

/** Policies that a month is played under; the first two start as soon as possible. */
const MONTH_POLICIES = ['asap_first', 'asap_least', 'cost_co2_energy', 'co2_cost_energy', 'energy_cost_co2', 'knee'];
const PRICE_POLICIES = ['asap_first', 'cost_co2_energy', 'knee'];
const USER_POLICIES = [...MONTH_POLICIES.slice(0, 3), 'cost_co2_energy~5', ...MONTH_POLICIES.slice(3), 'mixed'];

/** Of the random requests: days, the runs, and the part of the nodes that one may ask for. */
export const RANDOM = { days: 28, runs: 10, mostPercent: 25 };
/** The days of them, and two more in which a reservation may still end. */
export const KNOWN = (RANDOM.days + 2) * DAY;

export type Body = Record<string, unknown>;

/** The month's requests, as they came, on the site's nodes and agendas. */
export function monthBody(month: Month, requests: PlayedRequest[], policies = MONTH_POLICIES): Body {
  const { start, days } = reach(requests, month);
  return {
    name: language.texts.simulate.names.month(month.name),
    policies,
    // Where agendas have gaps, the result says how much they cover.
    parameters: { start: iso(start), days, runs: 1, seed: 1, allow_uncovered: true },
    nodes: 'site',
    agendas: 'site',
    requests,
  };
}

/** The same under several tables of prices, by whose names the service names cells. */
export function pricesBody(month: Month, requests: PlayedRequest[], tables: Record<string, string>): Body {
  return {
    ...monthBody(month, requests, PRICE_POLICIES),
    name: language.texts.simulate.names.prices(month.name),
    vary: { price_file: Object.keys(tables) },
    tables,
  };
}

/** Requests at random on the site's nodes and agendas. */
export function policiesBody(start: number, requests: number, maxDelay: number): Body {
  const { days, runs, mostPercent } = RANDOM;
  return {
    name: language.texts.simulate.names.policies,
    policies: USER_POLICIES,
    parameters: {
      start: iso(start), days, runs, seed: 1, requests, max_delay_h: maxDelay, max_request_percent: mostPercent,
      flow: 'poisson', allow_uncovered: true,
    },
    nodes: 'site',
    agendas: 'site',
  };
}

/** The four weeks before today or those from today on, in UTC: those of which more prices and intensities are known. */
export function betterKnown(today: number, agendas: readonly AgendaDocument[]): number {
  const known = (from: number) => Math.min(...agendas.map((it) => covered(it.pieces, from, from + KNOWN)));
  return known(today - KNOWN) >= known(today) ? today - KNOWN : today;
}
