// What needs somebody, from answers of the API: what is wrong, where it is, and what to do about it.

import type {
  AgendaDocument, FeedsDocument, MeterDocument, NegotiationDocument, OutageDocument, PowerActionDocument, PowerDocument,
  ReservationDocument, Slurm, WebhookDocument,
} from '../api/schema';
import { said } from '../api/said';
import { language } from '../texts/language.svelte';
import { DAY, span, when, withTimes, type Clock } from '../time/words';
import { isAsked, questionWords } from '../ui/negotiations';
import { nodeWords } from '../ui/nodeWords';
import { lostWords, noticeWords, requestWords } from '../ui/reservationWords';
import { power as watts } from '../units/format';
import { feedNeeds, gapNeeds } from './feedNeeds';
import { bare, pageAt, type Need } from './need';

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
/** What nodes draw, beside what was planned of those that are measured. */
type Compared = Pick<PowerDocument['cluster'], 'measured_power_w' | 'planned_of_measured_w'>;

/** A meter that failed once may answer the next time. */
const MISSED_POLLS = 2;

function slurmNeeds(slurm: Slurm, { now, zone }: Clock): Need[] {
  if (slurm.mode === 'none' || slurm.state === 'unknown') return [];
  const { because, heardLast, slurm: texts } = language.texts.overview.needs;
  const where = ['Slurm', slurm.version, slurm.cluster && texts.of(slurm.cluster)].filter(Boolean).join(' ');
  const why = said(bare(slurm.because ?? ''));
  const page = pageAt('outages');
  if (slurm.state !== 'connected') {
    const states: Record<string, string> = texts.states;
    const what = because(states[slurm.state] ?? texts.otherState(slurm.state), why);
    const heard = slurm.last_poll_at ? heardLast(where, when(Date.parse(slurm.last_poll_at), now, zone)) : where;
    return [{ keys: ['slurm'], kind: 'bad', what, where: heard, todo: texts.check, page }];
  }
  const found: Need[] = [];
  if (slurm.because) {
    found.push({ keys: ['slurm-because'], kind: 'warn', what: because(texts.notWell, why), where, todo: texts.compare, page });
  }
  const wrong = (slurm.counts?.failed ?? 0) + (slurm.counts?.lost ?? 0);
  if (wrong > 0) {
    const names = slurm.differences?.map((it) => it.reservation) ?? [];
    found.push({ keys: names.map((it) => `managed ${it}`), kind: 'bad', what: texts.notAsBooked(wrong), where, todo: texts.mend, page: null });
  }
  const missing = slurm.nodes?.missing ?? [];
  if (missing.length > 0) {
    const what = texts.unknownNodes(missing.length);
    found.push({ keys: missing.map((it) => `missing ${it}`), kind: 'warn', what, where: named(missing), todo: texts.putNodes, page });
  }
  return found;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? language.texts.overview.needs.andMore(shown, names.length - MOST_NAMES) : shown;
}

function capNeeds(cap: AgendaDocument, { now, zone }: Clock): Need[] {
  const held = cap.provenance.find((it) => Date.parse(it.start) <= now && now < Date.parse(it.end));
  if (held?.standing !== 'safe_mode') return [];
  const texts = language.texts.overview.needs.cap;
  return [{
    keys: ['safe-mode-cap'],
    kind: 'bad',
    what: texts.safeMode,
    where: texts.until(when(Date.parse(held.end), now, zone)),
    todo: texts.todo,
    page: pageAt('grid'),
  }];
}

function negotiationNeeds(negotiations: readonly NegotiationDocument[], clock: Clock): Need[] {
  const texts = language.texts.overview.needs.negotiation;
  return negotiations.filter(isAsked).map((it) => ({
    keys: [`negotiation ${it.id}`],
    kind: 'warn',
    what: texts.unanswered,
    where: questionWords(it, clock),
    todo: it.deadline ? texts.answerUntil(when(Date.parse(it.deadline), clock.now, clock.zone)) : texts.answer,
    page: pageAt('grid'),
  }));
}

function actionNeeds(actions: readonly PowerActionDocument[]): Need[] {
  const proposed = actions.filter((it) => it.state === 'proposed');
  if (proposed.length === 0) return [];
  const texts = language.texts.overview.needs.action;
  return [{
    keys: proposed.map((it) => ['power', 'action', it.id].join(' ')),
    kind: 'warn',
    what: texts.waits(proposed.length),
    where: named([...new Set(proposed.map((it) => it.node))]),
    todo: texts.todo,
    page: pageAt('switching'),
  }];
}

/** Nodes that are out of service though nobody announced it: down in Slurm, or did not come when they were woken. */
function nodeNeeds(outages: readonly OutageDocument[], { now, zone }: Clock): Need[] {
  const texts = language.texts.overview.needs.nodes;
  const groups = new Map<string, OutageDocument[]>();
  for (const it of outages) {
    const lasts = Date.parse(it.start) <= now && (!it.end || Date.parse(it.end) > now);
    if (it.owner !== 'slurm' || !lasts) continue;
    const reason = withTimes(it.reason, () => '…');
    groups.set(reason, [...(groups.get(reason) ?? []), it]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const nodes = group.reduce((sum, it) => sum + it.node_count, 0);
    const reason = withTimes(bare(first?.reason ?? ''), (at) => when(at, now, zone));
    const hit = new Set(group.flatMap((it) => it.reservations)).size;
    const where = named(group.map(nodeWords));
    return {
      keys: group.map((it) => `outage ${it.id}`),
      kind: 'bad',
      what: texts.out(nodes, reason),
      where: hit > 0 ? texts.held(where, hit) : where,
      todo: texts.todo,
      page: pageAt('outages'),
    };
  });
}

function meterNeeds(meters: readonly MeterDocument[], { now, zone }: Clock): Need[] {
  const { heardLast, meter: texts } = language.texts.overview.needs;
  return meters.flatMap(({ id, kind, polled }): Need[] => {
    if (!polled?.failure || polled.failure.in_turn < MISSED_POLLS) return [];
    const where = texts.where(id, kind);
    return [{
      keys: [`meter ${id}`],
      kind: 'warn',
      what: texts.silent(said(bare(polled.failure.because))),
      where: polled.last_success_at ? heardLast(where, when(Date.parse(polled.last_success_at), now, zone)) : where,
      todo: texts.todo,
      page: null,
    }];
  });
}

function webhookNeeds(webhooks: readonly WebhookDocument[], { now, zone }: Clock): Need[] {
  const { because, webhook: texts } = language.texts.overview.needs;
  return webhooks.filter((it) => it.status !== 'ok').map(({ id, url, status, last_error: error, next_attempt_at: next }) => {
    const todo = next ? texts.triedAgain(when(Date.parse(next), now, zone)) : texts.seeReceiver;
    return {
      keys: [`webhook ${id} ${status}`],
      kind: 'warn',
      what: because(texts.fails, said(bare(error?.detail ?? ''))),
      where: texts.where(id, url),
      todo: status === 'stopped' ? texts.gone : todo,
      page: null,
    };
  });
}

function powerNeeds(power: PowerDocument, { now, zone }: Clock): Need[] {
  const texts = language.texts.overview.needs.power;
  const need = (key: string, where: string, { measured_power_w: drawn, planned_of_measured_w: planned }: Compared): Need => ({
    keys: [`above-plan ${key}`],
    kind: 'warn',
    what: texts.above(watts(drawn ?? 0), watts(planned)),
    where,
    todo: texts.todo,
    page: pageAt('schedule'),
  });
  const since = (instant: string) => when(Date.parse(instant), now, zone);
  return [
    ...(power.above_plan_since ? [need('cluster', texts.allNodes(since(power.above_plan_since)), power.cluster)] : []),
    ...power.reservations.flatMap((it) => {
      const id = it.reservation_id;
      return it.above_plan_since ? [need(id, texts.nodesOf(it.owner, id.slice(0, 8), since(it.above_plan_since)), it)] : [];
    }),
  ];
}

function reservationNeeds(reservations: readonly ReservationDocument[], { now, zone }: Clock): Need[] {
  const texts = language.texts.overview.needs.reservation;
  const isLost = (it: ReservationDocument) => it.degraded && (!it.end || Date.parse(it.end) > now);
  return reservations.filter(isLost).map((it) => {
    const during = it.start && it.end ? `, ${span(Date.parse(it.start), Date.parse(it.end), now, zone)}` : '';
    return {
      keys: [`degraded ${it.id}`],
      kind: 'bad',
      what: texts.lost(lostWords(it).join(', ').toLowerCase()),
      where: `${requestWords(it)}${during}`,
      todo: noticeWords(it)?.text ?? texts.todo,
      page: pageAt('reservations', it.id),
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
