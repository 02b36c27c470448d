import { count } from './count';

/** What needs somebody, where it is, and what to do about it. */
export const overviewNeeds = {
  /** Something wrong, and why where that is known. */
  because: (what: string, why: string) => (why ? `${what}: ${why}.` : `${what}.`),
  heardAgo: (where: string, length: string) => `${where}, heard ${length} ago`,
  heardLast: (where: string, when: string) => `${where}, heard last ${when}`,
  andMore: (names: string, more: number) => `${names} and ${more} more`,
  slurm: {
    of: (cluster: string) => `of the cluster ${cluster}`,
    states: {
      unreachable: 'Slurm does not answer',
      denied: 'Slurm does not accept the token',
      refused: 'Slurm is not the cluster of the settings',
      unsupported: 'This version of Slurm cannot be read',
      unreadable: 'What Slurm answers cannot be read',
    },
    otherState: (state: string) => `Slurm is ${state}`,
    check: 'Find the fault with wattbook slurm check. Until then bookings go on with what is known of Slurm.',
    notWell: 'Slurm answers, but not all is well',
    compare: 'Compare both sides with wattbook slurm diff.',
    notAsBooked: (number: number) => `${count(number, 'reservation is', 'reservations are')} not in Slurm as booked.`,
    mend: 'See why with wattbook slurm diff, and mend it in Slurm.',
    unknownNodes: (number: number) => `Slurm does not know ${count(number, 'node')}.`,
    putNodes: 'Put the nodes by the names that Slurm has.',
  },
  cap: {
    safeMode: 'Contact with the supplier is lost: the safe-mode cap holds.',
    until: (when: string) => `Power cap, until ${when}`,
    todo: 'See why the source of the power cap does not answer, or put the cap that holds.',
  },
  negotiation: {
    unanswered: 'The supplier has not answered a request for extra power.',
    answer: 'Answer for the supplier.',
    answerUntil: (when: string) => `Answer for the supplier until ${when}; silence is a no.`,
  },
  action: {
    waits: (number: number) => `${count(number, 'power action waits', 'power actions wait')} for approval.`,
    todo: 'Approve or refuse: nothing is switched before.',
  },
  nodes: {
    out: (number: number, reason: string) => `${count(number, 'node is', 'nodes are')} out of service: ${reason}.`,
    held: (where: string, reservations: number) => `${where}; ${count(reservations, 'reservation')} held some of them`,
    todo: 'Mend them. They are booked again once they are seen to be up.',
  },
  meter: {
    silent: (why: string) => `A meter does not answer: ${why}.`,
    where: (id: string, kind: string) => `Meter ${id} (${kind})`,
    todo: 'See whether it is up, and check its address and secret in [[meters]]. Its energy is estimated meanwhile.',
  },
  webhook: {
    fails: 'A webhook does not take events',
    where: (id: string, url: string) => `Webhook ${id}, ${url}`,
    gone: 'It answered that it is gone. Remove it from the settings, or mend it and start the service again.',
    seeReceiver: 'See whether its receiver is up.',
    triedAgain: (when: string) => `See whether its receiver is up; it is tried again ${when}.`,
  },
  power: {
    above: (drawn: string, planned: string) => `They draw ${drawn}, which is more than the ${planned} planned.`,
    allNodes: (since: string) => `All nodes, since ${since}`,
    nodesOf: (owner: string, id: string, since: string) => `Nodes of ${owner}, ${id}, since ${since}`,
    todo: 'See what runs there, and whether the powers of these nodes are calibrated.',
  },
  reservation: {
    lost: (what: string) => `Your reservation lost what it needs: ${what}.`,
    todo: 'Choose another start, or cancel it.',
  },
  feed: {
    failing: 'The last try at a source failed',
    late: 'The data of a source is too old',
    never: 'A source has never answered',
    where: (quantity: string, provider: string, id: string) => `${quantity} from ${provider} (${id})`,
    todo: 'See whether the provider is up, then ask it again.',
    /** By the kind of its last failure. */
    todos: {
      refused: 'Check its address and secret in [[feeds]], and whether the provider still admits you.',
      busy: 'Wait, or poll it less often: the provider asks for fewer requests.',
      transient: 'See whether the provider and the network are up, then ask it again.',
      not_published: 'See at the provider why it has not published.',
      payload: 'Ask the provider to mend what it sends, or put the agenda by hand.',
      partly_read: 'Ask the supplier to mend or cancel what cannot be read.',
      sandbox: 'Get access to the provider’s real data: it sends test data.',
      configuration: 'Correct the settings of this source, and start the service again.',
    },
  },
  gap: {
    unknown: (span: string) => `Nothing is known of it ${span}, so nothing can be planned then.`,
    where: (quantity: string, sources: string[]) => `${quantity}, from ${sources.join(', else ')}`,
    todo: 'Mend its sources, or put the agenda for this time.',
  },
};
