// What sources of agendas need: those that are too old or fail, and spans of the near future of which nothing is known.

import type { FeedDocument, FeedsDocument } from '../api/schema';
import { length, span, type Clock } from '../time/words';
import { QUANTITY_WORDS } from '../ui/basisWords';
import { bare, PAGES, type Need } from './need';

/** Failures that pass by themselves, while the data of the source is fresh. */
const PASSING = ['busy', 'not_published'];

const TODO: Record<string, string> = {
  refused: 'Check its address and secret in [[feeds]], and whether the provider still admits you.',
  busy: 'Wait, or poll it less often: the provider asks for fewer requests.',
  transient: 'See whether the provider and the network are up, then ask it again.',
  not_published: 'See at the provider why it has not published.',
  payload: 'Ask the provider to mend what it sends, or put the agenda by hand.',
  partly_read: 'Ask the supplier to mend or cancel what cannot be read.',
  sandbox: 'Get access to the provider’s real data: it sends test data.',
  configuration: 'Correct the settings of this source, and start the service again.',
};

const quantity = (id: string) => QUANTITY_WORDS[id] ?? id;

function isWrong({ status, last_error: error }: FeedDocument): boolean {
  if (status === 'late') return true;
  if (status === 'never') return error != null;
  return status === 'failing' && !PASSING.includes(error?.class ?? '');
}

export function feedNeeds({ feeds }: FeedsDocument, { now }: Clock): Need[] {
  return feeds.filter(isWrong).map((feed) => {
    const { status, last_error: error, last_success_at: heard } = feed;
    const why = error ? `: ${bare(error.detail)}` : '';
    const says = status === 'failing' ? 'The last try at a source failed' : status === 'late' ? 'The data of a source is too old' : 'A source has never answered';
    const ago = heard ? `, heard ${length(now - Date.parse(heard))} ago` : '';
    return {
      // A source that gets worse is told again.
      keys: [`feed ${feed.id} ${status}`],
      kind: status === 'failing' ? 'warn' : 'bad',
      what: `${says}${why}.`,
      where: `${quantity(feed.quantity)} from ${feed.provider} (${feed.id})${ago}`,
      todo: TODO[error?.class ?? ''] ?? 'See whether the provider is up, then ask it again.',
      page: PAGES.grid,
    };
  });
}

/** Spans without a value that begin within so many milliseconds. */
export const gapNeeds = (ahead: number) => ({ agendas }: FeedsDocument, { now, zone }: Clock): Need[] =>
  agendas.flatMap((agenda): Need[] => {
    const gap = agenda.gaps.find((it) => Date.parse(it.start) < now + ahead && Date.parse(it.end) > now);
    if (!gap) return [];
    return [{
      keys: [`gap ${agenda.quantity}`],
      kind: 'bad',
      what: `Nothing is known of it ${span(Math.max(now, Date.parse(gap.start)), Date.parse(gap.end), now, zone)}, so nothing can be planned then.`,
      where: `${quantity(agenda.quantity)}, from ${agenda.chain.join(', else ')}`,
      todo: 'Mend its sources, or put the agenda for this time.',
      page: PAGES.grid,
    }];
  });
