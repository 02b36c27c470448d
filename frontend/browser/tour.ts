// What every file of browser tests begins and ends with: a service of its own and a browser.

import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

import { closeAll, launch, open, type Watched } from './pages';
import { Service } from './service';

export interface Tour {
  service: Service;
  /** A tab of its own at a page of the service, such as `#/grid`. */
  visit(page?: string, options?: BrowserContextOptions): Promise<Watched>;
}

interface Plan {
  /** How the service begins, where that is more than a start. */
  begin?: (service: Service) => Promise<void>;
  /** Done before the first test. */
  prepare?: (service: Service) => Promise<void>;
  timeout?: number;
  /** The settings file; null where there is none, as in plain `make demo`. */
  settings?: string | null;
}

/** To be called once in a file. */
export function tour({ begin, prepare, timeout = 60_000, settings = '' }: Plan = {}): Tour {
  const service = new Service(settings);
  let browser: Browser | undefined;
  beforeAll(async () => {
    await (begin ? begin(service) : service.start());
    browser = await launch();
    await prepare?.(service);
  }, timeout);
  afterEach(async () => {
    if (browser) await closeAll(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });
  return {
    service,
    visit(page = '', options = {}) {
      if (!browser) throw new Error('the browser is not there yet');
      return open(browser, `${service.url}${page}`, options);
    },
  };
}

/** What stands on each page once it is there. */
export const READY: Record<string, string | RegExp> = {
  overview: 'Needs somebody',
  plan: 'Cost against CO₂',
  reservations: /^(Calendar file|Nothing is booked here\.)$/,
  schedule: 'in view',
  nodes: 'What runs on it',
  'nodes?tab=outages': /^(No node is out of service, or is going to be\.|Out now)$/,
  'nodes?tab=switching': 'Switch nodes',
  'nodes?tab=calibration': 'Nodes that stand out',
  grid: 'Feeds',
  reports: 'Whose energy it was',
  simulate: 'imulations',
  account: 'In my calendar',
};

/** Hours ahead, as RFC 3339. */
export const hours = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');
