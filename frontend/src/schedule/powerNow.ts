// Power now as the lines of a table: what is measured of nodes against what was planned of them.

import type { NodesPowerDocument, PowerDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { percent, power, whole } from '../units/format';

export interface PowerLine {
  /** Whose nodes. */
  name: string;
  kind: 'cluster' | 'partition' | 'reservation';
  /** How many of the nodes are measured. */
  nodes: string;
  measured: string;
  planned: string;
  /** By how much of the plan they draw more or less; empty where nothing is measured or nothing was planned. */
  difference: string;
  /** Since when they draw more than planned for longer than the site allows, RFC 3339. */
  above: string | null;
}

const difference = (it: NodesPowerDocument): string => {
  if (it.measured_power_w == null || it.planned_of_measured_w <= 0) return '';
  const share = it.measured_power_w / it.planned_of_measured_w - 1;
  return `${share > 0 ? '+' : ''}${percent(share)}`;
};

const line = (
  kind: PowerLine['kind'],
  name: string,
  it: NodesPowerDocument,
  above: string | null | undefined = null,
): PowerLine => ({
  name,
  kind,
  nodes: language.texts.schedule.powerNow.measuredOf(whole(it.measured_nodes), it.nodes),
  measured: it.measured_power_w == null ? '–' : power(it.measured_power_w),
  planned: it.measured_power_w == null ? '–' : power(it.planned_of_measured_w),
  difference: difference(it),
  above: above ?? null,
});

/** All nodes, then partitions, then reservations. */
export const powerLines = (now: PowerDocument): PowerLine[] => [
  line('cluster', language.texts.schedule.powerNow.allNodes, now.cluster, now.above_plan_since),
  ...now.partitions.map((it) => line('partition', it.partition, it)),
  ...now.reservations.map((it) => line('reservation', `${it.owner}, ${it.reservation_id.slice(0, 8)}`, it, it.above_plan_since)),
];

/** What is planned of all nodes, the site's meter and the cap, in a sentence. */
export function siteSentence(now: PowerDocument): string {
  const texts = language.texts.schedule.powerNow;
  const parts = [texts.plannedOfAll(power(now.cluster.planned_power_w))];
  if (now.site_power_w != null) parts.push(texts.siteDraws(power(now.site_power_w)));
  if (now.cap_w != null) parts.push(texts.counts(power(now.reserved_power_w), power(now.cap_w)));
  return texts.site(parts);
}
