// The reservation in Slurm that stands for one of ours, in words.

import type { SlurmJob, SlurmReservation } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length } from '../time/words';
import { energy, rounded } from '../units/format';

export interface SlurmWords {
  kind: 'ok' | 'warn' | 'bad';
  text: string;
}

const KINDS: Record<string, SlurmWords['kind']> = { waiting: 'warn', in_force: 'ok', failed: 'bad', lost: 'bad', removed: 'ok' };
const texts = () => language.texts.reservations.slurm;

/** How it stands, and why where there is something to say. */
export function slurmWords({ state, because }: SlurmReservation): SlurmWords {
  const states: Record<string, string> = texts().states;
  const text = states[state] ?? state;
  return { kind: KINDS[state] ?? 'warn', text: because ? texts().because(text, because.replace(/[.\s]+$/, '')) : `${text}.` };
}

/** How much of what is reserved its jobs have used: `12.3 of 16 h of nodes used`. */
export function usedWords({ node_seconds }: SlurmReservation): string {
  const { reserved, used } = node_seconds;
  return texts().used(rounded(used / 3600), rounded(reserved / 3600));
}

/** A job in a line: its id, whose it is, how it is, where, for how long so far, and its energy where measured. */
export function jobWords(job: SlurmJob, now: number): string {
  const words = [texts().jobOf(job.id, job.user, job.account), job.state.toLowerCase()];
  if (job.nodes) words.push(texts().onNodes(job.nodes));
  if (job.start) {
    // While it runs, its end lies ahead.
    const end = Math.min(job.end ? Date.parse(job.end) : now, now);
    const ran = end - Date.parse(job.start);
    if (ran > 0) words.push(texts().ranFor(length(ran)));
  }
  if (job.energy_j != null) words.push(energy(job.energy_j));
  return words.join(', ');
}
