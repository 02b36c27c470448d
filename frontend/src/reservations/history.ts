// What happened to a reservation, in time order: what the audit trail has of it, and what follows from the reservation itself.

import type { AuditItemDocument, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, when, type Clock } from '../time/words';
import { chosenOffer } from '../ui/offers';
import { stateWord } from '../ui/reservationWords';

export interface Moment {
  at: number;
  /** Who did it; empty where nobody did. */
  who: string;
  what: string;
  /** What changed by it, or why it was refused. */
  detail: string;
  isRefused: boolean;
}

const texts = () => language.texts.reservations.history;

/** What the audit trail has of a reservation before or after something was done. */
interface Recorded {
  state?: string;
  start?: string | null;
  end?: string | null;
  /** Of one that was given to another owner. */
  owner?: { person?: string };
}

/** Whether a record tells of something that was done, and not only read. */
export const isDeed = ({ action }: AuditItemDocument): boolean => action in texts().deeds;

function changes(before: Recorded | null, after: Recorded | null, clock: Clock): string {
  const times = ({ start, end }: Recorded) => (start && end ? span(Date.parse(start), Date.parse(end), clock.now, clock.zone) : '');
  const parts: string[] = [];
  const differ = (was: string, is: string) => {
    if (is !== '' && is !== was) parts.push(was === '' ? is : `${was} → ${is}`);
  };
  const state = (it: Recorded) => (it.state ? (stateWord(it.state)) : '');
  if (!before || !after) return '';
  differ(state(before), state(after));
  differ(times(before), times(after));
  differ(before.owner?.person ?? '', after.owner?.person ?? '');
  return parts.join('; ');
}

function momentOf(record: AuditItemDocument, clock: Clock): Moment {
  const isRefused = !/^2\d\d/.test(record.outcome);
  const deeds: Record<string, string> = texts().deeds;
  const what = deeds[record.action] ?? record.action;
  return {
    at: Date.parse(record.at),
    who: record.actor,
    what: record.for && record.for !== record.actor ? texts().forWhom(what, record.for) : what,
    detail: isRefused ? texts().notDone(record.outcome) : changes(record.before as Recorded | null, record.after as Recorded | null, clock),
    isRefused,
  };
}

/** The moments of a reservation; `records` are what the audit trail has of it, as far as it may be read. */
export function history(reservation: ReservationDocument, records: readonly AuditItemDocument[], clock: Clock): Moment[] {
  const plain = (at: string, what: string, who = ''): Moment => ({ at: Date.parse(at), who, what, detail: '', isRefused: false });
  const deeds = records.filter(isDeed).map((it) => momentOf(it, clock));
  const moments = [...deeds];
  if (!records.some((it) => it.action === 'create_reservation')) moments.push(plain(reservation.created_at, texts().wasAskedFor));
  if (reservation.state === 'proposed' || reservation.state === 'expired') {
    moments.push(plain(reservation.expires_at, Date.parse(reservation.expires_at) > clock.now ? texts().isHeld : texts().wasHeld));
  }
  const offer = chosenOffer(reservation);
  if (offer && ['confirmed', 'active', 'completed'].includes(reservation.state)) {
    moments.push(plain(offer.start, Date.parse(offer.start) > clock.now ? texts().begins : texts().began));
    moments.push(plain(offer.end, Date.parse(offer.end) > clock.now ? texts().ends : texts().ended));
  }
  return moments.sort((a, b) => a.at - b.at);
}

/** A moment in a line: `today 14:00: ada chose an offer`. */
export const momentWords = ({ at, who, what }: Moment, { now, zone }: Clock): string =>
  texts().moment(when(at, now, zone), who, what);
