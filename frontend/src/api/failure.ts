// Whatever goes wrong when the service is asked.

import type { PlacedError, Problem } from './schema';

/** Why an answer is not what was asked for. */
export class Failure extends Error {
  constructor(
    /** The problem's stable word, or `unreachable`. */
    readonly code: string,
    message: string,
    readonly errors: PlacedError[] = [],
    readonly problem?: Problem,
  ) {
    super(message);
  }
}
