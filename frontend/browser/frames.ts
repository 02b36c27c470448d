// How long frames take while the schedule of a hundred thousand bars is moved and zoomed. `npm run frames`

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { tour } from './tour';

const NODES = 200;
const BARS_OF_A_NODE = 500;
const DAY = 86_400_000;
const FRAMES = 120;

const { visit } = tour();

/** Four weeks in which every node has five hundred bars of six owners, in all states. */
function items(from: number, to: number) {
  const states = ['confirmed', 'active', 'completed', 'proposed'];
  const length = (to - from) / BARS_OF_A_NODE;
  const iso = (at: number) => new Date(at).toISOString();
  return Array.from({ length: NODES * BARS_OF_A_NODE }, (_, index) => {
    const [node, slot] = [index % NODES, Math.floor(index / NODES)];
    const start = from + slot * length + (node % 7) * 60_000;
    return {
      reservation_id: `r${index}`,
      offer_id: `o${index}`,
      owner: `owner${(index * 7) % 6}`,
      state: states[(index * 5 + slot) % 4],
      start: iso(start),
      end: iso(start + length * 0.9),
      node_ranges: [[node, node]],
      nodes: [`n${node}`],
      node_count: 1,
    };
  });
}

async function answerWithManyBars(page: Page) {
  await page.route('**/api/v1/occupancy?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
    const columns = 160;
    const cells = Array<number>(NODES * columns).fill(0);
    const json = {
      from, to, columns,
      count: NODES, first_node: 0, last_node: NODES - 1, row_nodes: 1,
      row_names: Array.from({ length: NODES }, (_, node) => `n${node}`),
      column_s: (Date.parse(to) - Date.parse(from)) / 1000 / columns,
      reservations: 2000,
      booked: cells, held: cells, out: cells,
    };
    await route.fulfill({ json });
  });
  const now = Math.floor(Date.now() / DAY) * DAY;
  const all = items(now - 14 * DAY, now + 14 * DAY);
  await page.route('**/api/v1/schedule?*', (route) => route.fulfill({ json: { items: all } }));
}

/** Reads the processor time of the page's main thread: other work of the machine hardly shows in it. */
async function processor(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find((it) => it.name === 'TaskDuration')?.value ?? 0);
  };
}

/** Milliseconds between frames, and of work in each, while something is done before each; sorted. */
const MEASURE = (act: string) => `new Promise((done) => {
  const canvas = document.querySelector('canvas[role=img]');
  const box = canvas.getBoundingClientRect();
  const times = [];
  const works = [];
  let before = 0;
  const fire = (kind, x, more = {}) => canvas.dispatchEvent(new (kind === 'wheel' ? WheelEvent : PointerEvent)(
    kind, { bubbles: true, cancelable: true, pointerId: 1, clientX: box.left + x, clientY: box.top + 50, ...more }));
  canvas.setPointerCapture = () => {};
  const frame = (now) => {
    if (before) times.push(now - before);
    before = now;
    const index = times.length;
    if (index === ${FRAMES}) {
      fire('pointerup', 200);
      return done([times, works].map((it) => it.sort((one, other) => one - other)));
    }
    const began = performance.now();
    ${act}
    // What was moved is drawn in the microtasks that follow.
    setTimeout(() => works.push(performance.now() - began));
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;
const DRAG = `if (index === 0) fire('pointerdown', 700); fire('pointermove', 700 - 2 * index);`;
const ZOOM = `fire('wheel', 500, { ctrlKey: true, deltaY: index % 40 < 20 ? -20 : 20 });`;

for (const [span, what] of [['4 weeks', 'all visible'], ['3 days', 'a tenth visible'], ['6 hours', 'a hundredth visible']] as const) {
  test(`moves and zooms a hundred thousand bars, ${what}`, async () => {
    const { page, faults } = await visit('#/nodes');
    await answerWithManyBars(page);
    await page.evaluate(`location.hash = '#/schedule'`);
    await page.getByLabel('Span').selectOption({ label: span });
    await page.getByText(/reservations in view/).waitFor();
    await page.waitForTimeout(2500);
    const used = await processor(page);
    for (const [name, act] of [['move', DRAG], ['zoom', ZOOM]] as const) {
      const before = await used();
      const [frames = [], works = []] = await page.evaluate<number[][]>(MEASURE(act));
      const cpu = (((await used()) - before) / FRAMES).toFixed(1);
      const at = (share: number, of = frames) => (of[Math.floor(share * (of.length - 1))] ?? 0).toFixed(1);
      console.log(`${what}, ${name}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms a frame; ${at(0.5, works)} ms of work, ${cpu} ms of processor time`);
      expect(frames.length).toBe(FRAMES);
    }
    expect(faults).toEqual([]);
  });
}
