// What meters say of nodes against their calibration, and the model's error, in words.

import type { ErrorDocument, FindingDocument, FindingsPage, ModelErrorRow } from '../api/schema';
import { count, rounded } from '../units/format';

/** What is said of all nodes; empty where nodes are not judged. */
export function summary(page: FindingsPage): string {
  if (!page.judged_at) return page.follow === 'off' ? '' : 'Nodes have not been judged by what is measured yet.';
  const { drifted, outlying, failing, proposed } = page.counts;
  const said = [
    drifted > 0 ? `${count(drifted, 'node')} drifted` : '',
    outlying > 0 ? `${count(outlying, 'node')} unlike others of the kind` : '',
    failing > 0 ? `${count(failing, 'node')} not measured well` : '',
    proposed > 0 ? `new powers proposed for ${count(proposed, 'node')}` : '',
  ].filter((it) => it !== '');
  return said.length > 0 ? said.join(', ') : 'Every node draws what its calibration says.';
}

const FAULTS: Record<string, string> = {
  unmeasured: 'nothing is measured any more',
  draws_nothing: 'draws next to nothing',
  implausible: 'draws more than it can',
  stuck: 'always the same power',
};

/** What is said of a node. */
export function standing(finding: FindingDocument): string {
  const said = [
    finding.fault ? (FAULTS[finding.fault] ?? finding.fault) : '',
    finding.drifted ? 'drifted' : '',
    finding.outlying ? 'unlike its kind' : '',
    finding.proposal ? (finding.proposal.state === 'open' ? 'new powers proposed' : 'new powers rejected') : '',
  ];
  return said.filter((it) => it !== '').join(', ');
}

/** A power in force, and what is measured where that is known. */
export function against(inForce: number | null | undefined, measured: number | null | undefined): string {
  const watts = (it: number | null | undefined) => (it === null || it === undefined ? '–' : `${rounded(it, 4)} W`);
  return measured === null || measured === undefined ? watts(inForce) : `${watts(inForce)}, measured ${watts(measured)}`;
}

/** Percent too much or too little on average, and how far off. */
export function errorWords(error: ErrorDocument | null | undefined): string {
  const { mean_percent: mean, mean_absolute_percent: absolute } = error ?? {};
  if (mean === null || mean === undefined || absolute === null || absolute === undefined) return '–';
  return `${mean > 0 ? '+' : ''}${rounded(mean, 3)} % (off by ${rounded(absolute, 3)} %)`;
}

/** What a row of the model's error is about. */
export function groupWords(row: ModelErrorRow): string {
  return row.group === '' ? 'no application named' : row.group;
}
