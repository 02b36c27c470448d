// Reads what the service tells of the site.

import { api, unwrap } from './client';
import type { SiteDocument } from './schema';

export const readSite = (signal: AbortSignal): Promise<SiteDocument> =>
  unwrap(api.GET('/api/v1/site', { signal }));
