// Debian's Chromium, driven without a screen. Whatever a page does wrong behind its back is noted.

import { existsSync } from 'node:fs';

import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

export interface Watched {
  page: Page;
  /** Errors of scripts, refusals of the content policy, requests to other hosts. */
  faults: string[];
}

export async function launch(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) throw new Error(`${EXECUTABLE} is missing: apt-get install chromium`);
  return chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu'] });
}

/** A tab of its own, as another person would have, in Paris unless said otherwise. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 900 },
    timezoneId: 'Europe/Paris',
    locale: 'en-GB',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(url).host) faults.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Closes every tab: an open page keeps asking. */
export async function closeAll(browser: Browser): Promise<void> {
  await Promise.all(
    browser.contexts().map(async (context) => {
      // What a page still asks for concerns nobody any more.
      await Promise.all([context, ...context.pages()].map((it) => it.unrouteAll({ behavior: 'ignoreErrors' })));
      await context.close();
    }),
  );
}
