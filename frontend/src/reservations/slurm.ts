// The reservation in Slurm that stands for one of ours, in words.

import type { SlurmJob, SlurmReservation } from '../api/schema';
import { length } from '../time/words';
import { energy, rounded } from '../units/format';

export interface SlurmWords {
  kind: 'ok' | 'warn' | 'bad';
  text: string;
}

const STATES: Record<string, SlurmWords> = {
  waiting: { kind: 'warn', text: 'Slurm is to get this reservation' },
  in_force: { kind: 'ok', text: 'Slurm has this reservation' },
  failed: { kind: 'bad', text: 'Slurm does not have this reservation as it should be' },
  lost: { kind: 'bad', text: 'Somebody removed this reservation in Slurm' },
  removed: { kind: 'ok', text: 'It is over in Slurm too' },
};

/** How it stands, and why where there is something to say. */
export function slurmWords({ state, because }: SlurmReservation): SlurmWords {
  const { kind, text } = STATES[state] ?? { kind: 'warn', text: state };
  return { kind, text: because ? `${text}: ${because.replace(/[.\s]+$/, '')}.` : `${text}.` };
}

const hours = (nodeSeconds: number) => `${rounded(nodeSeconds / 3600)} h`;

/** How much of what is reserved its jobs have used: `12.3 of 16 h of nodes used`. */
export function usedWords({ node_seconds }: SlurmReservation): string {
  const { reserved, used } = node_seconds;
  return `${rounded(used / 3600)} of ${hours(reserved)} of nodes used`;
}

/** A job in a line: its id, whose it is, how it is, where, for how long so far, and its energy where measured. */
export function jobWords(job: SlurmJob, now: number): string {
  const words = [`${job.id} of ${job.user}${job.account ? ` (${job.account})` : ''}`, job.state.toLowerCase()];
  if (job.nodes) words.push(`on ${job.nodes}`);
  if (job.start) {
    // While it runs, its end lies ahead.
    const end = Math.min(job.end ? Date.parse(job.end) : now, now);
    const ran = end - Date.parse(job.start);
    if (ran > 0) words.push(`for ${length(ran)}`);
  }
  if (job.energy_j != null) words.push(energy(job.energy_j));
  return words.join(', ');
}
