// Reservations in words: their states, what was asked for, and what their owners are to know.

import { said } from '../api/said';
import type { ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length } from '../time/words';

/** What a state of reservations is called on the page. */
export function stateWord(state: string): string {
  const words: Record<string, string> = language.texts.ui.reservations.states;
  return words[state] ?? state;
}

export interface NoticeWords {
  kind: 'warn' | 'bad';
  text: string;
}

const bare = (text: string) => text.replace(/[.\s]+$/, '');
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${bare(text.slice(1))}.`;

/** The document of a notice. */
interface Notice {
  code?: string;
  /** Of a degraded one: `outage`, `cap_lowered`, or both. */
  causes?: string[];
  detail?: string;
  way_out?: string;
  missing_nodes?: number;
}

const noticeOf = (reservation: ReservationDocument) => reservation.notice as Notice | null | undefined;

/** What a degraded reservation lost, as a label: nodes, power, or both; empty where it stands. */
export function lostWords(reservation: ReservationDocument): string[] {
  if (!reservation.degraded) return [];
  const notice = noticeOf(reservation);
  const causes = notice?.causes ?? [notice?.code ?? ''];
  const texts = language.texts.ui.reservations;
  const words = causes.includes('outage') ? [texts.outOfService(notice?.missing_nodes ?? 0)] : [];
  return words.length === 0 || causes.includes('cap_lowered') ? [...words, texts.overCap] : words;
}

/** The service's notice in sentences; null where there is none. */
export function noticeWords(reservation: ReservationDocument): NoticeWords | null {
  const notice = noticeOf(reservation);
  if (!notice?.detail) return null;
  const detail = notice.code === 'refused' ? sentence(language.texts.ui.reservations.refused(said(bare(notice.detail)))) : said(sentence(notice.detail));
  const parts = notice.way_out ? [detail, said(sentence(notice.way_out))] : [detail];
  const kind = reservation.degraded || reservation.state === 'rejected' ? 'bad' : 'warn';
  return { kind, text: parts.join(' ') };
}

/** What was asked for: `24 nodes for 2 h`. */
export function requestWords({ request }: ReservationDocument): string {
  const texts = language.texts.ui.reservations;
  const nodes = request.nodes ?? 1;
  const duration = request.duration_s;
  return typeof duration === 'number' ? texts.request(nodes, length(duration * 1000)) : texts.nodes(nodes);
}
