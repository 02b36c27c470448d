// How Slurm stands and what others have of the nodes, in words.

import type { OutageDocument, Slurm } from '../api/schema';
import { span, when } from '../time/words';
import { count } from '../units/format';

/** How Slurm stands in a sentence; nothing where there is none. Operators are told what others' jobs and reservations occupy. */
export function slurmLine(slurm: Slurm | undefined): string | undefined {
  if (!slurm || slurm.mode === 'none') return undefined;
  const name = slurm.version ? `Slurm ${slurm.version}` : 'Slurm';
  if (slurm.state !== 'connected') {
    const state = slurm.state === 'unknown' ? 'has not been asked yet' : `does not answer as it should (${slurm.state})`;
    return `${name} ${state}${slurm.because ? `: ${slurm.because.replace(/[.\s]+$/, '')}` : ''}.`;
  }
  const { occupied } = slurm;
  if (!occupied) return `${name} answers.`;
  if (occupied.jobs + occupied.reservations === 0) return `${name} answers. Nobody else's jobs or reservations occupy nodes.`;
  const others = [
    occupied.jobs > 0 && count(occupied.jobs, 'job'),
    occupied.reservations > 0 && count(occupied.reservations, 'reservation'),
  ].filter(Boolean);
  const nodes = `${count(occupied.nodes, 'node')} ${occupied.nodes === 1 ? 'is' : 'are'}`;
  return `${name} answers. ${nodes} occupied by ${others.join(' and ')} of others, now or later.`;
}

/** For how long somebody else's job or reservation has its nodes. */
export function occupantSpan({ start, end }: { start: string; end?: string | null }, now: number, zone: string): string {
  return end
    ? span(Date.parse(start), Date.parse(end), now, zone)
    : `since ${when(Date.parse(start), now, zone)}, no end known`;
}

/** Who says that nodes are out of service. */
export const sourceWords = ({ owner }: Pick<OutageDocument, 'owner'>): string => (owner === 'slurm' ? 'by Slurm' : `by ${owner}`);
