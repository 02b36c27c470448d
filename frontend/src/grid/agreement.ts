// How the sources of an agenda agree, in words: where they disagree now, and which was right before.

import type { AgendaStatusDocument, AgreementDocument, DisagreementDocument } from '../api/schema';
import { agreementTexts } from '../texts/agreement';
import { language } from '../texts/language.svelte';
import { length, span, when, type Clock } from '../time/words';
import { quantityWord } from '../ui/basisWords';
import { QUANTITIES } from '../ui/feeds';
import { percent, power, rounded } from '../units/format';

const NOTHING = '–';

const spanWords = (start: string, end: string, { now, zone }: Clock) => span(Date.parse(start), Date.parse(end), now, zone);

/** A value of a quantity as `GET /api/v1/feeds` names it; `unit` is of prices, and empty while it is not known. */
export function valueWords(quantity: string, value: number, unit: string): string {
  if (quantity === 'power_cap') return power(value);
  return `${rounded(value, 4)} ${quantity === 'co2' ? 'g/kWh' : unit}`.trimEnd();
}

/** Whether an agenda has several sources that can be compared; what is put through the API is none. */
export const areSeveral = ({ chain }: AgendaStatusDocument, sources: readonly string[]): boolean =>
  chain.filter((it) => sources.includes(it)).length > 1;

/** Those that are over stand last. */
export function disagreementsOf({ disagreements }: AgendaStatusDocument, now: number): DisagreementDocument[] {
  const isOver = (it: DisagreementDocument) => Date.parse(it.end) <= now;
  return [...disagreements.filter((it) => !isOver(it)), ...disagreements.filter(isOver)];
}

/** Whose value is taken, and by which rule. */
function takenWords({ quantity, take }: AgendaStatusDocument, { taken, values }: DisagreementDocument, unit: string): string {
  const texts = agreementTexts().takes;
  if (taken?.value == null) return texts.nothing;
  const value = valueWords(quantity, taken.value, unit);
  if (taken.source === '') return texts.site(value);
  if (take !== 'median') return texts.order(value, taken.source);
  // Sources without a usual ratio yet are not among those compared, and count for the median all the same.
  const isMedian = values.filter((it) => it.value != null).length >= 3;
  return (isMedian ? texts.median : texts.medianOrOrder)(value, taken.source);
}

/** Which sources disagree when and by how much, and what is taken; `unit` is of prices. */
export function disagreementWords(agenda: AgendaStatusDocument, it: DisagreementDocument, unit: string, clock: Clock): string {
  const texts = agreementTexts();
  const names: Record<string, string> = language.texts.grid.agendaForm.names;
  const { quantity } = agenda;
  const lasts = Date.parse(it.end) - Date.parse(it.start);
  const apart = it.apart_s * 1000 < lasts ? length(it.apart_s * 1000) : '';
  const said = it.values.flatMap(({ source, value }) => (value == null ? [] : [{ source, value }]));
  const numbers = said.map(({ value }) => value);
  // Values of CO₂ are compared after the usual ratios, which are not told here: what lies between them as they are says nothing.
  const difference = quantity === 'co2' ? texts.ratios : texts.difference(valueWords(quantity, Math.max(...numbers) - Math.min(...numbers), unit));
  const values = said.map(({ source, value }) => texts.says(source, valueWords(quantity, value, unit)));
  const furthest = said.length < 2 ? [] : [texts.furthest(spanWords(it.widest_start, it.widest_end, clock), values), difference];
  return [
    texts.disagree(it.sources, names[QUANTITIES[quantity] ?? ''] ?? quantityWord(quantity), spanWords(it.start, it.end, clock), apart),
    ...furthest,
    takenWords(agenda, it, unit),
  ].join(' ');
}

/** When it was found that the sources of an agenda disagree; empty where they do not. */
export const sinceWords = ({ disagreeing_since: since }: AgendaStatusDocument, { now, zone }: Clock) =>
  since ? agreementTexts().since(when(Date.parse(since), now, zone)) : '';

/** With which others a source disagrees first, and when; empty where it does not. */
export function againstWords(source: string, agendas: readonly AgendaStatusDocument[], clock: Clock): string {
  const first = agendas.flatMap((agenda) => disagreementsOf(agenda, clock.now)).find((it) => it.sources.includes(source));
  if (!first) return '';
  const others = first.sources.filter((it) => it !== source);
  return agreementTexts().against(others, spanWords(first.start, first.end, clock));
}

/** How much is known of who was right: sentences above the table, or in place of it. */
export function judgedWords({ from, to, judged_s, disagreements, apart_s }: AgreementDocument, clock: Clock): string {
  const texts = agreementTexts().right;
  const during = spanWords(from, to, clock);
  if (judged_s === 0) return texts.nothing(during);
  const apart = disagreements === 0 ? texts.never : texts.apart(disagreements, length(apart_s * 1000));
  return `${texts.judged(during, length(judged_s * 1000))} ${apart}`;
}

/** How a source did, in the words of a table. */
export interface RecordRow {
  source: string;
  judged: string;
  /** For how long of it the source says itself what came true; empty where it never does. */
  itself: string;
  error: string;
  bias: string;
  nearest: string;
  apart: string;
  ratio: string;
}

export function recordRows({ quantity, unit, sources }: AgreementDocument): RecordRow[] {
  const texts = agreementTexts().right;
  const shown = (value: number | null | undefined) => (value == null ? NOTHING : valueWords(quantity, value, unit));
  return sources.map((it) => ({
    source: it.source,
    judged: it.judged_s > 0 ? length(it.judged_s * 1000) : NOTHING,
    itself: it.referee_s > 0 ? texts.itself(length(it.referee_s * 1000)) : '',
    error: shown(it.mae),
    bias: it.bias != null && it.bias > 0 ? `+${shown(it.bias)}` : shown(it.bias),
    nearest: it.disagreements > 0 ? texts.nearest(it.nearest, it.disagreements, percent(it.nearest / it.disagreements)) : NOTHING,
    apart: shown(it.mae_apart),
    ratio: it.usual_ratio == null ? NOTHING : rounded(it.usual_ratio),
  }));
}
