// What axe finds on a page that keeps people from using it. Pages are opened with `bypassCSP`.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, however slight. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const findings = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)`,
  );
  return findings.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`);
}
