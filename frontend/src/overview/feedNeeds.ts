// What sources of agendas need: those that are too old or fail, and spans of the near future of which nothing is known.

import { said } from '../api/said';
import type { FeedDocument, FeedsDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length, span, type Clock } from '../time/words';
import { quantityWord } from '../ui/basisWords';
import { bare, pageAt, type Need } from './need';

/** Failures that pass by themselves, while the data of the source is fresh. */
const PASSING = ['busy', 'not_published'];

/** What to do where an attempt failed so. */
function todoOf(failure: string | undefined): string {
  const { todo, todos } = language.texts.overview.needs.feed;
  return (todos as Record<string, string>)[failure ?? ''] ?? todo;
}

const quantity = (id: string) => quantityWord(id);

function isWrong({ status, last_error: error }: FeedDocument): boolean {
  if (status === 'late') return true;
  if (status === 'never') return error != null;
  return status === 'failing' && !PASSING.includes(error?.class ?? '');
}

export function feedNeeds({ feeds }: FeedsDocument, { now }: Clock): Need[] {
  const texts = language.texts.overview.needs;
  return feeds.filter(isWrong).map((feed) => {
    const { status, last_error: error, last_success_at: heard } = feed;
    const { failing, late, never } = texts.feed;
    const where = texts.feed.where(quantity(feed.quantity), feed.provider, feed.id);
    return {
      // A source that gets worse is told again.
      keys: [`feed ${feed.id} ${status}`],
      kind: status === 'failing' ? 'warn' : 'bad',
      what: texts.because(status === 'failing' ? failing : status === 'late' ? late : never, said(bare(error?.detail ?? ''))),
      where: heard ? texts.heardAgo(where, length(now - Date.parse(heard))) : where,
      todo: todoOf(error?.class),
      page: pageAt('grid'),
    };
  });
}

/** Spans without a value that begin within so many milliseconds. */
export const gapNeeds = (ahead: number) => ({ agendas }: FeedsDocument, { now, zone }: Clock): Need[] =>
  agendas.flatMap((agenda): Need[] => {
    const gap = agenda.gaps.find((it) => Date.parse(it.start) < now + ahead && Date.parse(it.end) > now);
    if (!gap) return [];
    const texts = language.texts.overview.needs.gap;
    return [{
      keys: [`gap ${agenda.quantity}`],
      kind: 'bad',
      what: texts.unknown(span(Math.max(now, Date.parse(gap.start)), Date.parse(gap.end), now, zone)),
      where: texts.where(quantity(agenda.quantity), agenda.chain),
      todo: texts.todo,
      page: pageAt('grid'),
    }];
  });
