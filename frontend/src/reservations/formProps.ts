// What each form of a change is given.

import type { ReservationDocument } from '../api/schema';

export interface FormProps {
  /** As it stood when it was read last. */
  reservation: ReservationDocument;
  /** What is wrong with each field of what was sent. */
  errors: Record<string, string>;
  busy: boolean;
  /** Asks for the change; `done` is told once it is made. */
  send: (route: string, body: unknown, done: string) => Promise<void>;
}
