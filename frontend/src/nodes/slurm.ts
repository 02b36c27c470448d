// How Slurm stands and what others have of the nodes, in words.

import type { OutageDocument, Slurm } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, when } from '../time/words';

/** How Slurm stands in a sentence; nothing where there is none. Operators are told what others' jobs and reservations occupy. */
export function slurmLine(slurm: Slurm | undefined): string | undefined {
  if (!slurm || slurm.mode === 'none') return undefined;
  const texts = language.texts.nodes.slurm;
  const name = slurm.version ? `Slurm ${slurm.version}` : 'Slurm';
  if (slurm.state !== 'connected') {
    const said = slurm.state === 'unknown' ? texts.notAsked(name) : texts.failing(name, slurm.state);
    return slurm.because ? texts.because(said, slurm.because.replace(/[.\s]+$/, '')) : `${said}.`;
  }
  const { occupied } = slurm;
  if (!occupied) return texts.answers(name);
  if (occupied.jobs + occupied.reservations === 0) return texts.nobodyElse(name);
  return texts.occupied(name, occupied.nodes, occupied.jobs, occupied.reservations);
}

/** For how long somebody else's job or reservation has its nodes. */
export function occupantSpan({ start, end }: { start: string; end?: string | null }, now: number, zone: string): string {
  return end
    ? span(Date.parse(start), Date.parse(end), now, zone)
    : language.texts.nodes.slurm.since(when(Date.parse(start), now, zone));
}

/** Who says that nodes are out of service. */
export const sourceWords = ({ owner }: Pick<OutageDocument, 'owner'>): string =>
  language.texts.nodes.slurm.by(owner === 'slurm' ? 'Slurm' : owner);
