// Who asks, and for which projects they book.

import { api, unwrap } from './client';
import type { MeDocument } from './schema';

export const readMe = (signal: AbortSignal): Promise<MeDocument> => unwrap(api.GET('/api/v1/me', { signal }));
