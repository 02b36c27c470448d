// What axe finds on a page that keeps people from using it. Pages are opened with `bypassCSP`.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, however slight; by these of its rules alone where they are given. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const findings = await page.evaluate<Finding[]>(`axe.run(document, ${options}).then((it) => it.violations)`);
  return findings.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`);
}
