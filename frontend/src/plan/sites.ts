// What other sites offer for the same request, beside this one.

import type { AskedSiteDocument, SiteOfferDocument, SiteOffersDocument, SiteOffersRequest, QuoteRequest } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, type Clock } from '../time/words';
import { accountingWords } from '../ui/accounting';
import { carbon, energy, money } from '../units/format';

const GIGABYTE = 1e9;

/** Bytes of a number of gigabytes as somebody typed it; nothing where it is none. */
export function bytesOf(text: string): number | undefined {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return 0;
  const gigabytes = Number(trimmed);
  const known = Number.isFinite(gigabytes) && gigabytes >= 0 && gigabytes <= GIGABYTE;
  return known ? Math.round(gigabytes * GIGABYTE) : undefined;
}

/** The question to all sites: a request as a quote's, but for what a quote alone may say. */
export function questionToSites(request: QuoteRequest, input: number, output: number): SiteOffersRequest {
  const { explain: _, pareto_nodes: __, ...asked } = request;
  return { request: asked, input_bytes: input, output_bytes: output };
}

/** A site as a row: its compromise, or why it has none. */
export interface SiteRow {
  site: string;
  here: boolean;
  place: string;
  /** Whether the compromise of all sites is there. */
  isBest: boolean;
  offer: SiteOfferDocument | undefined;
  when: string;
  results: string;
  cost: string;
  co2: string;
  /** How that is counted; empty where the site does not say it. */
  counted: string;
  energy: string;
  /** Why there is no offer: a word for it, and what the service says. */
  state: string;
  detail: string;
}

export function siteRows({ sites, compromise }: SiteOffersDocument, { now, zone }: Clock): SiteRow[] {
  const texts = language.texts.plan.sites;
  return sites.map((site): SiteRow => {
    const offer = site.compromise ?? undefined;
    const arrives = offer?.data_transfer?.output_arrives;
    return {
      site: site.site,
      here: site.here,
      place: site.location ?? (site.here ? texts.here : ''),
      isBest: compromise?.site === site.site,
      offer,
      when: offer ? span(Date.parse(offer.start), Date.parse(offer.end), now, zone) : '',
      results: arrives && offer.data_transfer?.output_s ? texts.resultsAt(span(Date.parse(offer.end), Date.parse(arrives), now, zone)) : '',
      cost: offer ? money(offer.cost, offer.currency) : '',
      co2: offer ? carbon(offer.co2_g) : '',
      counted: offer ? accountingWords(site.co2_accounting) : '',
      energy: offer ? energy(offer.energy_j) : '',
      state: offer ? '' : stateWords(site),
      detail: site.detail ?? '',
    };
  });
}

/** Whether sites that offer something count CO₂ in several ways, or some do not say how. */
export function areCountedApart(rows: readonly SiteRow[]): boolean {
  const [first, ...others] = rows.filter((row) => row.offer);
  return others.some((row) => row.counted === '' || row.counted !== first?.counted);
}

function stateWords({ state }: AskedSiteDocument): string {
  const words: Record<string, string> = language.texts.plan.sites.states;
  return words[state] ?? state;
}
