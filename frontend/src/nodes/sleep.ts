// Nodes that are switched to save energy, in words.

import type { PowerActionDocument, PowerHoldDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, when } from '../time/words';
import { carbon, energy, money, power } from '../units/format';

/** What an action saves, as far as that is known; nothing where it is not. */
export function savedWords({ saves, currency }: Pick<PowerActionDocument, 'saves' | 'currency'>): string {
  const amounts = [
    saves?.energy_j != null && energy(saves.energy_j),
    saves?.cost != null && money(saves.cost, currency),
    saves?.co2_g != null && language.texts.nodes.sleep.co2(carbon(saves.co2_g)),
  ];
  return amounts.filter(Boolean).join(', ');
}

/** What is to be done with the node, and when. */
export function actionWords(
  { action, due, wake_at, limit_w }: Pick<PowerActionDocument, 'action' | 'due' | 'wake_at' | 'limit_w'>,
  now: number,
  zone: string,
): string {
  const texts = language.texts.nodes.sleep;
  const at = Date.parse(due);
  if (action === 'limit' || (action === 'lift' && limit_w != null)) return texts.limited(power(limit_w ?? 0), when(at, now, zone));
  if (action === 'lift') return texts.lifted(when(at, now, zone));
  if (action === 'wake') return texts.woken(when(at, now, zone));
  return wake_at ? texts.asleep(span(at, Date.parse(wake_at), now, zone)) : texts.switchedOff(when(at, now, zone));
}

/** How an action stands, and for whom where that is not the service itself. */
function askedWords(state: string, asked_by: string): string {
  const texts = language.texts.nodes.sleep;
  if (asked_by === 'plan' || asked_by === 'keep_warm') return state;
  return asked_by === 'reservation' ? texts.forReservation(state) : texts.askedBy(state, asked_by);
}

/** How far an action is, and for whom where that is not the plan. */
export function stateWords({ state, because, asked_by }: Pick<PowerActionDocument, 'state' | 'because' | 'asked_by'>): string {
  const texts = language.texts.nodes.sleep;
  const states: Record<string, string> = texts.states;
  const said = askedWords(states[state] ?? state, asked_by);
  return because ? texts.because(said, because) : said;
}

/** Whether an action can still be refused: not once it is ordered, or final. */
export const isRefusable = ({ state }: Pick<PowerActionDocument, 'state'>) => ['proposed', 'waiting', 'failed'].includes(state);

/** Until when a node stays on, and who said so. */
export const holdWords = ({ until, by }: Pick<PowerHoldDocument, 'until' | 'by'>, now: number, zone: string): string =>
  language.texts.nodes.sleep.staysOn(when(Date.parse(until), now, zone), by);

/** What all proposals together save, in a sentence; nothing where there are none. */
export function proposalsWords(actions: PowerActionDocument[]): string {
  const proposed = actions.filter((it) => it.state === 'proposed');
  if (proposed.length === 0) return '';
  const sum = (of: (it: PowerActionDocument) => number | null | undefined) =>
    proposed.every((it) => of(it) != null) ? proposed.reduce((total, it) => total + (of(it) ?? 0), 0) : null;
  const saves = { energy_j: sum((it) => it.saves?.energy_j), cost: sum((it) => it.saves?.cost), co2_g: sum((it) => it.saves?.co2_g) };
  const words = savedWords({ saves, currency: proposed[0]?.currency ?? '' });
  const texts = language.texts.nodes.sleep;
  return words === '' ? texts.wait(proposed.length) : texts.waitAndSave(proposed.length, words);
}
