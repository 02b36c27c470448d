// What axe finds on a page that keeps people from using it. Pages are opened with `bypassCSP`.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Findings that are serious or critical. */
export async function serious(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const findings = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)`,
  );
  return findings
    .filter((it) => it.impact === 'serious' || it.impact === 'critical')
    .map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`);
}
