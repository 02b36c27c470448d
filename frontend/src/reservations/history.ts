// What happened to a reservation, in time order: what the audit trail has of it, and what follows from the reservation itself.

import type { AuditItemDocument, ReservationDocument } from '../api/schema';
import { span, when, type Clock } from '../time/words';
import { chosenOffer } from '../ui/offers';
import { STATE_WORDS } from '../ui/reservationWords';

export interface Moment {
  at: number;
  /** Who did it; empty where nobody did. */
  who: string;
  what: string;
  /** What changed by it, or why it was refused. */
  detail: string;
  isRefused: boolean;
}

/** What people do with reservations, by the name of the operation. */
const DEEDS: Record<string, string> = {
  create_reservation: 'asked for it',
  choose_offer: 'chose an offer',
  modify_reservation: 'changed it',
  extend_reservation: 'extended it',
  release_reservation: 'gave nodes back',
  swap_nodes: 'swapped nodes',
  share_reservation: 'shared it',
  unshare_reservation: 'ended sharing it',
  transfer_reservation: 'gave it to another owner',
  cancel_reservation: 'cancelled it',
};

/** What the audit trail has of a reservation before or after something was done. */
interface Recorded {
  state?: string;
  start?: string | null;
  end?: string | null;
  /** Of one that was given to another owner. */
  owner?: { person?: string };
}

/** Whether a record tells of something that was done, and not only read. */
export const isDeed = ({ action }: AuditItemDocument): boolean => action in DEEDS;

function changes(before: Recorded | null, after: Recorded | null, clock: Clock): string {
  const times = ({ start, end }: Recorded) => (start && end ? span(Date.parse(start), Date.parse(end), clock.now, clock.zone) : '');
  const parts: string[] = [];
  const differ = (was: string, is: string) => {
    if (is !== '' && is !== was) parts.push(was === '' ? is : `${was} → ${is}`);
  };
  const state = (it: Recorded) => (it.state ? (STATE_WORDS[it.state] ?? it.state) : '');
  if (!before || !after) return '';
  differ(state(before), state(after));
  differ(times(before), times(after));
  differ(before.owner?.person ?? '', after.owner?.person ?? '');
  return parts.join('; ');
}

function momentOf(record: AuditItemDocument, clock: Clock): Moment {
  const isRefused = !/^2\d\d/.test(record.outcome);
  const forWhom = record.for && record.for !== record.actor ? ` for ${record.for}` : '';
  return {
    at: Date.parse(record.at),
    who: record.actor,
    what: `${DEEDS[record.action] ?? record.action}${forWhom}`,
    detail: isRefused ? `not done: ${record.outcome}` : changes(record.before as Recorded | null, record.after as Recorded | null, clock),
    isRefused,
  };
}

/** The moments of a reservation; `records` are what the audit trail has of it, as far as it may be read. */
export function history(reservation: ReservationDocument, records: readonly AuditItemDocument[], clock: Clock): Moment[] {
  const plain = (at: string, what: string, who = ''): Moment => ({ at: Date.parse(at), who, what, detail: '', isRefused: false });
  const deeds = records.filter(isDeed).map((it) => momentOf(it, clock));
  const moments = [...deeds];
  if (!records.some((it) => it.action === 'create_reservation')) moments.push(plain(reservation.created_at, 'was asked for'));
  if (reservation.state === 'proposed' || reservation.state === 'expired') {
    moments.push(plain(reservation.expires_at, Date.parse(reservation.expires_at) > clock.now ? 'is held until then' : 'was held until then'));
  }
  const offer = chosenOffer(reservation);
  if (offer && ['confirmed', 'active', 'completed'].includes(reservation.state)) {
    moments.push(plain(offer.start, Date.parse(offer.start) > clock.now ? 'begins' : 'began'));
    moments.push(plain(offer.end, Date.parse(offer.end) > clock.now ? 'ends' : 'ended'));
  }
  return moments.sort((a, b) => a.at - b.at);
}

/** A moment in a line: `today 14:00: ada chose an offer`. */
export const momentWords = ({ at, who, what }: Moment, { now, zone }: Clock): string =>
  `${when(at, now, zone)}: ${who === '' ? 'it' : who} ${what}`;
