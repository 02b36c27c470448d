// What meters say of nodes against their calibration, and the model's error, in words.

import type { ErrorDocument, FindingDocument, FindingsPage, ModelErrorRow } from '../api/schema';
import { language } from '../texts/language.svelte';
import { rounded } from '../units/format';

/** What is said of all nodes; empty where nodes are not judged. */
export function summary(page: FindingsPage): string {
  const texts = language.texts.nodes.measured;
  if (!page.judged_at) return page.follow === 'off' ? '' : texts.notJudged;
  const { drifted, outlying, failing, proposed } = page.counts;
  const said = [
    drifted > 0 ? texts.nodesDrifted(drifted) : '',
    outlying > 0 ? texts.nodesUnlike(outlying) : '',
    failing > 0 ? texts.nodesFailing(failing) : '',
    proposed > 0 ? texts.nodesProposed(proposed) : '',
  ].filter((it) => it !== '');
  return said.length > 0 ? said.join(', ') : texts.allAsCalibrated;
}

/** What is said of a node. */
export function standing(finding: FindingDocument): string {
  const texts = language.texts.nodes.measured;
  const faults: Record<string, string> = texts.faults;
  const said = [
    finding.fault ? (faults[finding.fault] ?? finding.fault) : '',
    finding.drifted ? texts.drifted : '',
    finding.outlying ? texts.unlike : '',
    finding.proposal ? (finding.proposal.state === 'open' ? texts.proposed : texts.rejected) : '',
  ];
  return said.filter((it) => it !== '').join(', ');
}

/** A power in force, and what is measured where that is known. */
export function against(inForce: number | null | undefined, measured: number | null | undefined): string {
  const watts = (it: number | null | undefined) => (it === null || it === undefined ? '–' : `${rounded(it, 4)} W`);
  if (measured === null || measured === undefined) return watts(inForce);
  return language.texts.nodes.measured.against(watts(inForce), watts(measured));
}

/** Percent too much or too little on average, and how far off. */
export function errorWords(error: ErrorDocument | null | undefined): string {
  const { mean_percent: mean, mean_absolute_percent: absolute } = error ?? {};
  if (mean === null || mean === undefined || absolute === null || absolute === undefined) return '–';
  return language.texts.nodes.measured.error(`${mean > 0 ? '+' : ''}${rounded(mean, 3)}`, rounded(absolute, 3));
}

/** What a row of the model's error is about. */
export function groupWords(row: ModelErrorRow): string {
  return row.group === '' ? language.texts.nodes.measured.noApplication : row.group;
}
