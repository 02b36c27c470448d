import { expect, test } from 'vitest';

import { said } from '../api/said';
import type { ReservationDocument } from '../api/schema';
import { lostWords, noticeWords, requestWords } from './reservationWords';

const made = (values: object) => ({ id: 'a', state: 'rejected', degraded: false, offers: [], ...values }) as unknown as ReservationDocument;

test('a notice tells what happened and the way out', () => {
  const way_out = 'ask for fewer nodes';
  expect(noticeWords(made({ notice: null }))).toBeNull();
  expect(noticeWords(made({ notice: { code: 'refused', detail: 'the line is full', way_out } }))).toEqual({
    kind: 'bad', text: `The supplier says no: ${said('the line is full')}. ${said('Ask for fewer nodes.')}`,
  });
  const notice = { code: 'offers_withdrawn', detail: 'the supplier lowered the power cap.', way_out };
  expect(noticeWords(made({ state: 'proposed', notice }))).toEqual({
    kind: 'warn', text: `${said('The supplier lowered the power cap.')} ${said('Ask for fewer nodes.')}`,
  });
});

test('what lost nodes is not told as what lost power', () => {
  const degraded = (notice: object | null) => lostWords(made({ state: 'confirmed', degraded: true, notice }));
  expect(lostWords(made({ state: 'confirmed', notice: { code: 'nodes_replaced' } }))).toEqual([]);
  expect(degraded({ code: 'outage', causes: ['outage'], missing_nodes: 2 })).toEqual(['2 nodes out of service']);
  expect(degraded({ code: 'outage', causes: ['outage', 'cap_lowered'], missing_nodes: 1 })).toEqual([
    '1 node out of service', 'No longer fits under the power cap',
  ]);
  expect(degraded({ code: 'cap_lowered' })).toEqual(['No longer fits under the power cap']);
  expect(degraded(null)).toEqual(['No longer fits under the power cap']);
});

test('other nodes are told as news, not as a failure', () => {
  const detail = 'node n2 took the place of n1, out of service from 2026-03-01T12:00:00Z on (new fans)';
  const notice = { code: 'nodes_replaced', detail, way_out: 'nothing is to be done' };
  expect(noticeWords(made({ state: 'confirmed', notice }))).toEqual({
    kind: 'warn',
    text: `${said('Node n2 took the place of n1, out of service from 2026-03-01T12:00:00Z on (new fans).')} ${said('Nothing is to be done.')}`,
  });
});

test('a request without offers is told by what was asked for', () => {
  expect(requestWords(made({ request: { nodes: 24, duration_s: 7200 } }))).toBe('24 nodes for 2 h');
  expect(requestWords(made({ request: { nodes: 1, duration: '2h' } }))).toBe('1 node');
});
