// What needs somebody, from answers of the API: what is wrong, where it is, and what to do about it.

import type {
  AgendaDocument, FeedsDocument, MeterDocument, NegotiationDocument, OutageDocument, PowerActionDocument, PowerDocument,
  ReservationDocument, Slurm, WebhookDocument,
} from '../api/schema';
import { DAY, span, when, withTimes, type Clock } from '../time/words';
import { isAsked, questionWords } from '../ui/negotiations';
import { nodeWords } from '../ui/nodeWords';
import { lostWords, noticeWords, requestWords } from '../ui/reservationWords';
import { count, power } from '../units/format';
import { feedNeeds, gapNeeds } from './feedNeeds';
import { bare, PAGES, type Need } from './need';

/** What was read; null where the caller does not need it or may not read it, undefined where it is not there yet. */
export interface Answers {
  slurm?: Slurm | null | undefined;
  feeds?: FeedsDocument | null | undefined;
  /** The agenda of power caps for now and the next day. */
  cap?: AgendaDocument | null | undefined;
  /** Those that are open. */
  negotiations?: readonly NegotiationDocument[] | null | undefined;
  /** Those that are not final. */
  actions?: readonly PowerActionDocument[] | null | undefined;
  outages?: readonly OutageDocument[] | null | undefined;
  meters?: readonly MeterDocument[] | null | undefined;
  webhooks?: readonly WebhookDocument[] | null | undefined;
  power?: PowerDocument | null | undefined;
  /** The caller's own. */
  reservations?: readonly ReservationDocument[] | null | undefined;
}

/** Who looks. */
export interface Caller {
  operates: boolean;
  may(action: string): boolean;
}

/** Nodes named one by one; of more there is a count. */
const MOST_NAMES = 6;
/** A meter that failed once may answer the next time. */
const MISSED_POLLS = 2;

const SLURM: Record<string, string> = {
  unreachable: 'Slurm does not answer',
  denied: 'Slurm does not accept the token',
  refused: 'Slurm is not the cluster of the settings',
  unsupported: 'This version of Slurm cannot be read',
  unreadable: 'What Slurm answers cannot be read',
};

function slurmNeeds(slurm: Slurm, { now, zone }: Clock): Need[] {
  if (slurm.mode === 'none' || slurm.state === 'unknown') return [];
  const where = ['Slurm', slurm.version, slurm.cluster && `of the cluster ${slurm.cluster}`].filter(Boolean).join(' ');
  const because = slurm.because ? `: ${bare(slurm.because)}` : '';
  const page = PAGES.outages;
  if (slurm.state !== 'connected') {
    const since = slurm.last_poll_at ? `, heard last ${when(Date.parse(slurm.last_poll_at), now, zone)}` : '';
    const todo = 'Find the fault with wattbook slurm check. Until then bookings go on with what is known of Slurm.';
    const what = `${SLURM[slurm.state] ?? `Slurm is ${slurm.state}`}${because}.`;
    return [{ keys: ['slurm'], kind: 'bad', what, where: `${where}${since}`, todo, page }];
  }
  const found: Need[] = [];
  if (because) {
    const todo = 'Compare both sides with wattbook slurm diff.';
    found.push({ keys: ['slurm because'], kind: 'warn', what: `Slurm answers, but not all is well${because}.`, where, todo, page });
  }
  const wrong = (slurm.counts?.failed ?? 0) + (slurm.counts?.lost ?? 0);
  if (wrong > 0) {
    const names = slurm.differences?.map((it) => it.reservation) ?? [];
    const what = `${count(wrong, 'reservation is', 'reservations are')} not in Slurm as booked.`;
    const todo = 'See why with wattbook slurm diff, and mend it in Slurm.';
    found.push({ keys: names.map((it) => `managed ${it}`), kind: 'bad', what, where, todo, page: null });
  }
  const missing = slurm.nodes?.missing ?? [];
  if (missing.length > 0) {
    const what = `Slurm does not know ${count(missing.length, 'node')}.`;
    const todo = 'Put the nodes by the names that Slurm has.';
    found.push({ keys: missing.map((it) => `missing ${it}`), kind: 'warn', what, where: named(missing), todo, page });
  }
  return found;
}

const named = (names: readonly string[]): string =>
  names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more` : names.join(', ');

function capNeeds(cap: AgendaDocument, { now, zone }: Clock): Need[] {
  const held = cap.provenance.find((it) => Date.parse(it.start) <= now && now < Date.parse(it.end));
  if (held?.standing !== 'safe_mode') return [];
  return [{
    keys: ['safe-mode cap'],
    kind: 'bad',
    what: 'Contact with the supplier is lost: the safe-mode cap holds.',
    where: `Power cap, until ${when(Date.parse(held.end), now, zone)}`,
    todo: 'See why the source of the power cap does not answer, or put the cap that holds.',
    page: PAGES.grid,
  }];
}

function negotiationNeeds(negotiations: readonly NegotiationDocument[], clock: Clock): Need[] {
  return negotiations.filter(isAsked).map((it) => {
    const deadline = it.deadline ? Date.parse(it.deadline) : null;
    const until = deadline === null ? '' : ` until ${when(deadline, clock.now, clock.zone)}; silence is a no`;
    return {
      keys: [`negotiation ${it.id}`],
      kind: 'warn',
      what: 'The supplier has not answered a request for extra power.',
      where: questionWords(it, clock),
      todo: `Answer for the supplier${until}.`,
      page: PAGES.grid,
    };
  });
}

function actionNeeds(actions: readonly PowerActionDocument[]): Need[] {
  const proposed = actions.filter((it) => it.state === 'proposed');
  if (proposed.length === 0) return [];
  return [{
    keys: proposed.map((it) => `power action ${it.id}`),
    kind: 'warn',
    what: `${count(proposed.length, 'power action waits', 'power actions wait')} for approval.`,
    where: named([...new Set(proposed.map((it) => it.node))]),
    todo: 'Approve or refuse: nothing is switched before.',
    page: PAGES.switching,
  }];
}

/** Nodes that are out of service though nobody announced it: down in Slurm, or did not come when they were woken. */
function nodeNeeds(outages: readonly OutageDocument[], { now, zone }: Clock): Need[] {
  const groups = new Map<string, OutageDocument[]>();
  for (const it of outages) {
    const lasts = Date.parse(it.start) <= now && (!it.end || Date.parse(it.end) > now);
    if (it.owner !== 'slurm' || !lasts) continue;
    const reason = withTimes(it.reason, () => 'a time');
    groups.set(reason, [...(groups.get(reason) ?? []), it]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const nodes = group.reduce((sum, it) => sum + it.node_count, 0);
    const reason = withTimes(bare(first?.reason ?? ''), (at) => when(at, now, zone));
    const hit = new Set(group.flatMap((it) => it.reservations)).size;
    return {
      keys: group.map((it) => `outage ${it.id}`),
      kind: 'bad',
      what: `${count(nodes, 'node is', 'nodes are')} out of service: ${reason}.`,
      where: named(group.map(nodeWords)) + (hit > 0 ? `; ${count(hit, 'reservation')} held some of them` : ''),
      todo: 'Mend them. They are booked again once they are seen to be up.',
      page: PAGES.outages,
    };
  });
}

function meterNeeds(meters: readonly MeterDocument[], { now, zone }: Clock): Need[] {
  return meters.flatMap(({ id, kind, polled }): Need[] => {
    if (!polled?.failure || polled.failure.in_turn < MISSED_POLLS) return [];
    const heard = polled.last_success_at ? `, heard last ${when(Date.parse(polled.last_success_at), now, zone)}` : '';
    return [{
      keys: [`meter ${id}`],
      kind: 'warn',
      what: `A meter does not answer: ${bare(polled.failure.because)}.`,
      where: `Meter ${id} (${kind})${heard}`,
      todo: 'See whether it is up, and check its address and secret in [[meters]]. Its energy is estimated meanwhile.',
      page: null,
    }];
  });
}

function webhookNeeds(webhooks: readonly WebhookDocument[], { now, zone }: Clock): Need[] {
  return webhooks.filter((it) => it.status !== 'ok').map(({ id, url, status, last_error: error, next_attempt_at: next }) => ({
    keys: [`webhook ${id} ${status}`],
    kind: 'warn',
    what: `A webhook does not take events${error ? `: ${bare(error.detail)}` : ''}.`,
    where: `Webhook ${id}, ${url}`,
    todo:
      status === 'stopped'
        ? 'It answered that it is gone. Remove it from the settings, or mend it and start the service again.'
        : `See whether its receiver is up${next ? `; it is tried again ${when(Date.parse(next), now, zone)}` : ''}.`,
    page: null,
  }));
}

function powerNeeds(now: PowerDocument, clock: Clock): Need[] {
  const above = [
    ...(now.above_plan_since ? [{ key: 'all nodes', where: 'All nodes', since: now.above_plan_since, of: now.cluster }] : []),
    ...now.reservations.flatMap((it) =>
      it.above_plan_since ? [{ key: it.reservation_id, where: `Nodes of ${it.owner}, ${it.reservation_id.slice(0, 8)}`, since: it.above_plan_since, of: it }] : []),
  ];
  return above.map(({ key, where, since, of }) => ({
    keys: [`above plan ${key}`],
    kind: 'warn',
    what: `They draw ${power(of.measured_power_w ?? 0)}, which is more than the ${power(of.planned_of_measured_w)} planned.`,
    where: `${where}, since ${when(Date.parse(since), clock.now, clock.zone)}`,
    todo: 'See what runs there, and whether the powers of these nodes are calibrated.',
    page: PAGES.schedule,
  }));
}

function reservationNeeds(reservations: readonly ReservationDocument[], { now, zone }: Clock): Need[] {
  const isLost = (it: ReservationDocument) => it.degraded && (!it.end || Date.parse(it.end) > now);
  return reservations.filter(isLost).map((it) => {
    const during = it.start && it.end ? `, ${span(Date.parse(it.start), Date.parse(it.end), now, zone)}` : '';
    return {
      keys: [`degraded ${it.id}`],
      kind: 'bad',
      what: `Your reservation lost what it needs: ${lostWords(it).join(', ').toLowerCase()}.`,
      where: `${requestWords(it)}${during}`,
      todo: noticeWords(it)?.text ?? 'Choose another start, or cancel it.',
      page: { href: `#/reservations/${it.id}`, name: 'My reservations' },
    };
  });
}

/** Everything that needs the caller: what they may do something about, what is broken first. */
export function needs(answers: Answers, caller: Caller, clock: Clock): Need[] {
  const { operates } = caller;
  const found = <T>(answer: T | null | undefined, isTheirs: boolean, of: (answer: T, clock: Clock) => Need[]) =>
    answer == null || !isTheirs ? [] : of(answer, clock);
  const all = [
    ...found(answers.slurm, operates, slurmNeeds),
    ...found(answers.cap, caller.may('agenda.publish'), capNeeds),
    ...found(answers.feeds, caller.may('agenda.publish'), gapNeeds(DAY)),
    ...found(answers.feeds, caller.may('feed.refresh'), feedNeeds),
    ...found(answers.outages, caller.may('outage.declare'), nodeNeeds),
    ...found(answers.reservations, caller.may('reservation.choose'), reservationNeeds),
    ...found(answers.negotiations, caller.may('negotiation.answer'), negotiationNeeds),
    // Users may decide where the settings name them, which the API does not tell.
    ...found(answers.actions, operates && caller.may('power.approve'), actionNeeds),
    ...found(answers.power, operates, powerNeeds),
    ...found(answers.meters, caller.may('meter.read'), meterNeeds),
    ...found(answers.webhooks, caller.may('webhook.read'), webhookNeeds),
  ];
  return [...all.filter((it) => it.kind === 'bad'), ...all.filter((it) => it.kind === 'warn')];
}
