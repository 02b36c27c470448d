import { describe, expect, it } from 'vitest';
import type { FindingDocument, FindingsPage } from '../api/schema';
import { against, errorWords, standing, summary } from './measured';

const counts = { nodes: 7, drifted: 0, outlying: 0, failing: 0, proposed: 0, rejected: 0 };
const page: FindingsPage = { follow: 'propose', judged_at: '2026-03-01T00:00:00Z', from: null, to: null, counts, items: [], next_cursor: null };
const error = { count: 6, mean_percent: -13.0434, mean_absolute_percent: 13.0434 };
const finding: FindingDocument = {
  node: 'n1', idle_power_w: 100, max_power_w: 200, measured_idle: null, measured_max: null, drifted: false, outlying: false, fault: null, error, proposal: null,
};

describe('what is measured of nodes', () => {
  it('is said of all of them', () => {
    expect(summary(page)).toBe('Every node draws what its calibration says.');
    expect(summary({ ...page, judged_at: null })).toMatch(/not been judged/);
    expect(summary({ ...page, judged_at: null, follow: 'off' })).toBe('');
    expect(summary({ ...page, counts: { ...counts, drifted: 1, failing: 2, proposed: 1 } })).toBe(
      '1 node drifted, 2 nodes not measured well, new powers proposed for 1 node',
    );
  });

  it('is said of each', () => {
    expect(standing(finding)).toBe('');
    expect(standing({ ...finding, fault: 'draws_nothing' })).toBe('draws next to nothing');
    const proposal = { state: 'open', since: '2026-03-01T00:00:00Z', idle_power_w: 110, max_power_w: 200 };
    expect(standing({ ...finding, drifted: true, proposal })).toBe('drifted, new powers proposed');
    expect(against(100, null)).toBe('100 W');
    expect(against(100, 110)).toBe('100 W, measured 110 W');
    expect(against(null, undefined)).toBe('–');
  });

  it('has an error', () => {
    expect(errorWords(error)).toBe('−13 % (off by 13 %)');
    expect(errorWords({ count: 1, mean_percent: 2.55, mean_absolute_percent: 4 })).toBe('+2.55 % (off by 4 %)');
    expect(errorWords(null)).toBe('–');
  });
});
