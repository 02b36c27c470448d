import { expect, test } from 'vitest';

import type { DecisionDocument, ReasonDocument } from '../api/schema';
import { wayOut } from './explanation';
import { shortNodes, shortPower } from './shortfall';

const HOUR = 3_600_000;
const at = (hour: number) => Date.parse('2026-11-21T00:00:00Z') + hour * HOUR;
const iso = (hour: number) => new Date(at(hour)).toISOString();
const request = { nodes: 30, duration_s: 7200, earliest_start: iso(8) };
const reason = (code: string, binding: object): ReasonDocument => ({
  code, excluded_starts: 9, detail: '', binding: { at_start: iso(8), start: iso(9), end: iso(10), ...binding },
});
const impossible = (...reasons: ReasonDocument[]): DecisionDocument => ({ decision: 'impossible', candidate_starts: 9, reasons, offers: [], pareto: [] });
const cap = [{ start: at(0), end: at(9), value: 9000 }, { start: at(9), end: at(24), value: 6000 }];
const reserved = [{ start: at(0), end: at(24), value: 2000 }];

test('the power of a request lies on what is reserved, and what is above the cap is short', () => {
  // 500 W are missing from 9:00 on, where the cap leaves 4,000 W: it takes 4,500 W.
  expect(shortPower(request, impossible(reason('power_cap', { missing_power_w: 500 })), cap, reserved)).toEqual({
    pieces: [
      { start: at(8), end: at(9), base: 2000, top: 6500, limit: 9000 },
      { start: at(9), end: at(10), base: 2000, top: 6500, limit: 6000 },
    ],
    missing: 500,
    of: 4500,
    when: { start: at(9), end: at(10) },
  });
});

test('nodes that are not free are short of those asked for', () => {
  const short = shortNodes({ ...request, nodes: 60 }, impossible(reason('nodes', { missing_nodes: 16, start: iso(8) })));
  expect(short).toEqual({ pieces: [{ start: at(8), end: at(10), base: 0, top: 60, limit: 44 }], missing: 16, of: 60, when: { start: at(8), end: at(10) } });
});

test('where something else binds, nothing is short', () => {
  const decision = impossible(reason('agenda_gap', { missing_agenda: 'price' }));
  expect(shortPower(request, decision, cap, reserved)).toBeNull();
  expect(shortNodes(request, decision)).toBeNull();
  // Before the agendas are read there is nothing to draw on.
  expect(shortPower(request, impossible(reason('power_cap', { missing_power_w: 500 })), [], [])).toBeNull();
});

test('for all that binds it is said what to do', () => {
  for (const it of [
    reason('nodes', { missing_nodes: 2 }),
    reason('power_cap', { missing_power_w: 2 }),
    reason('agenda_gap', { missing_agenda: 'co2' }),
    reason('quota', {}),
    reason('no_slot', { slot_s: 900, slot_after: iso(9) }),
  ]) {
    expect(wayOut(it)).toMatch(/^[A-Z].*\.$/);
  }
});
