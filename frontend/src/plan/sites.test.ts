import { expect, test } from 'vitest';

import type { SiteOfferDocument, SiteOffersDocument } from '../api/schema';
import { areCountedApart, bytesOf, questionToSites, siteRows } from './sites';

const clock = { now: Date.parse('2026-11-21T10:00:00Z'), zone: 'UTC' };
const figures = { start: '2026-11-21T12:00:00Z', end: '2026-11-21T13:00:00Z', node_count: 4, energy_j: 3.6e6, cost: 1, co2_g: 50 };
const offer = (site: string): SiteOfferDocument =>
  ({ ...figures, site, rankings: [], currency: 'EUR', peak_power_w: 900, delay_s: 7200, at_site: figures });

test('gigabytes are numbers, with a comma too', () => {
  expect(['', '25', '1,5', ' 2 '].map(bytesOf)).toEqual([0, 25e9, 1.5e9, 2e9]);
  expect(['-1', 'much', '1e12'].map(bytesOf)).toEqual([undefined, undefined, undefined]);
});

test('sites are asked as a quote is, without what only a quote may say', () => {
  const request = { nodes: 4, duration_s: 3600, earliest_start: '2026-11-21T10:00:00Z', explain: true };
  const asked = { nodes: 4, duration_s: 3600, earliest_start: '2026-11-21T10:00:00Z' };
  expect(questionToSites(request, 5, 0)).toEqual({ request: asked, input_bytes: 5, output_bytes: 0 });
});

test('each site is a row: its compromise, or why it has none', () => {
  const transfer = { input_s: 0, output_s: 1800, output_arrives: '2026-11-21T13:30:00Z', energy_j: 0, cost: 0, co2_g: 0 };
  const there = { ...offer('lyon'), data_transfer: transfer };
  const told: SiteOffersDocument = {
    decision: 'optimum', offers: [there], compromise: there,
    sites: [
      { site: 'home', here: true, state: 'offers', answered_in_s: 0.1, offers: [], compromise: offer('home') },
      { site: 'lyon', here: false, location: 'Lyon, France', state: 'offers', answered_in_s: 0.1, offers: [], compromise: there },
      { site: 'nice', here: false, state: 'slow', detail: 'no answer within 3 s', answered_in_s: 3, offers: [] },
    ],
  };
  const [home, lyon, nice] = siteRows(told, clock);
  expect([home?.place, home?.isBest, home?.results]).toEqual(['this site', false, '']);
  expect([lyon?.place, lyon?.isBest, lyon?.when]).toEqual(['Lyon, France', true, 'today 12:00 to 13:00']);
  expect(lyon?.results).toContain('13:30');
  expect([nice?.offer, nice?.state, nice?.detail]).toEqual([undefined, 'did not answer in time', 'no answer within 3 s']);
});

test('CO₂ is told with how each site counts it, and where they do not count alike', () => {
  const rowsOf = (...counted: ({ accounting: string; factors?: string } | null)[]) =>
    siteRows(
      {
        decision: 'choice', offers: [],
        sites: counted.map((co2_accounting, index) => ({
          site: `s${index}`, here: index === 0, state: 'offers', answered_in_s: 0.1, offers: [], compromise: offer(`s${index}`), co2_accounting,
        })),
      },
      clock,
    );
  const average = { accounting: 'average', factors: 'direct' };
  const mixed = rowsOf(average, { accounting: 'marginal', factors: 'direct' });
  expect(mixed.map((row) => row.counted)).toEqual(['average, direct', 'marginal, direct']);
  expect(areCountedApart(mixed)).toBe(true);
  expect(areCountedApart(rowsOf(average, average, average))).toBe(false);
  // Whoever does not say how may count in another way.
  expect(rowsOf(average, null)[1]?.counted).toBe('');
  expect(areCountedApart(rowsOf(average, null))).toBe(true);
  expect(areCountedApart(rowsOf(null, average))).toBe(true);
  expect(areCountedApart(rowsOf(null, null))).toBe(true);
  expect(areCountedApart(rowsOf(null))).toBe(false);
  expect(areCountedApart(rowsOf({ accounting: 'average' }, { accounting: 'average' }))).toBe(false);
  expect(areCountedApart(rowsOf(average, { accounting: 'average' }))).toBe(true);
  // A site without an offer has no figure that could be compared.
  const [home, silent] = rowsOf(average, null);
  expect(home && silent && areCountedApart([home, { ...silent, offer: undefined }])).toBe(false);
  expect(areCountedApart([])).toBe(false);
});
