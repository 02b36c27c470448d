// What the owner of a reservation is to know: why it lost its power, its offers or its chance.

import type { OfferDocument, ReservationDocument } from '../api/schema';
import { length } from '../time/words';
import { count, money } from '../units/format';

export interface NoticeWords {
  kind: 'warn' | 'bad';
  text: string;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.\s]+$/, '')}.`;

/** The service's notice in sentences; null where there is none. */
export function noticeOf(reservation: ReservationDocument): NoticeWords | null {
  const notice = reservation.notice as { code?: string; detail?: string; way_out?: string } | null | undefined;
  if (!notice?.detail) return null;
  const detail = notice.code === 'refused' ? `The supplier says no: ${notice.detail}` : notice.detail;
  const parts = [detail, notice.way_out ?? ''].filter((it) => it !== '').map(sentence);
  const kind = reservation.degraded || reservation.state === 'rejected' ? 'bad' : 'warn';
  return { kind, text: parts.join(' ') };
}

/** What was asked for: `24 nodes for 2 h`. */
export function wishWords({ request }: ReservationDocument): string {
  const nodes = count(request.nodes ?? 1, 'node');
  const duration = request.duration_s;
  return typeof duration === 'number' ? `${nodes} for ${length(duration * 1000)}` : nodes;
}

/** What of an offer's cost goes to the supplier for extra power; empty where nothing does. */
export function feeWords(offer: OfferDocument): string {
  const fee = offer.extra_power_fee;
  return fee ? `${money(fee, offer.currency)} of the cost for extra power` : '';
}
