import { describe, expect, it } from 'vitest';
import type { PowerActionDocument } from '../api/schema';
import { actionWords, holdWords, isRefusable, proposalsWords, savedWords, stateWords } from './sleep';

const now = Date.parse('2026-03-02T10:00:00Z');
const action: PowerActionDocument = {
  id: 7, node: 'n1', action: 'off', state: 'proposed', because: null, asked_by: 'plan', reservation_id: null,
  created: '2026-03-02T09:00:00Z', since: '2026-03-02T09:00:00Z', due: '2026-03-02T11:00:00Z', until: null,
  wake_at: '2026-03-03T05:30:00Z', orders: 0, ordered: null, done: null,
  saves: { energy_j: 3_600_000, cost: 0.25, co2_g: 56 }, currency: 'EUR', decided_by: null, decided: null,
};

describe('a node that is switched', () => {
  it('sleeps, is switched off, woken or limited', () => {
    expect(actionWords(action, now, 'UTC')).toBe('asleep today 11:00 to tomorrow 05:30');
    expect(actionWords({ ...action, wake_at: null }, now, 'UTC')).toBe('switched off today 11:00');
    expect(actionWords({ ...action, action: 'wake' }, now, 'UTC')).toBe('woken today 11:00');
    expect(actionWords({ ...action, action: 'limit', limit_w: 120 }, now, 'UTC')).toBe('limited to 120 W today 11:00');
    expect(actionWords({ ...action, action: 'lift', limit_w: null }, now, 'UTC')).toBe('power limit lifted today 11:00');
    expect(holdWords({ until: '2026-03-03T00:00:00Z', by: 'carol' }, now, 'UTC')).toBe('stays on until tomorrow 00:00, by carol');
  });

  it('saves what is known', () => {
    expect(savedWords(action)).toBe('1 kWh, 0.25 EUR, 56 g of CO₂');
    expect(savedWords({ ...action, saves: { energy_j: 3_600_000, cost: null, co2_g: null } })).toBe('1 kWh');
    expect(savedWords({ ...action, saves: null })).toBe('');
  });

  it('stands somewhere', () => {
    expect(stateWords(action)).toBe('waits for approval');
    const held = { state: 'waiting', because: 'it is in use: job 7', asked_by: 'carol' };
    expect(stateWords(held)).toBe('has yet to be ordered, asked for by carol: it is in use: job 7');
  });

  it('can be refused until it is ordered', () => {
    const refusable = ['proposed', 'waiting', 'failed', 'ordered', 'done'].map((state) => isRefusable({ state }));
    expect(refusable).toEqual([true, true, true, false, false]);
  });

  it('is one of several that wait', () => {
    expect(proposalsWords([])).toBe('');
    expect(proposalsWords([{ ...action, state: 'ordered' }])).toBe('');
    expect(proposalsWords([action])).toBe('1 sleep waits for approval and would save 1 kWh, 0.25 EUR, 56 g of CO₂.');
    const unpriced = { ...action, saves: { energy_j: 3_600_000, cost: null, co2_g: 4 } };
    expect(proposalsWords([action, unpriced])).toBe('2 sleeps wait for approval and would save 2 kWh, 60 g of CO₂.');
  });
});
