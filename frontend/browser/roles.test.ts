// What a role may not do is not offered, and who one is, is shown.

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import { tour } from './tour';

const { service, visit } = tour();
const tokens = { ada: '', grid: '', ops: '' };

beforeAll(() => {
  tokens.ada = service.token('ada');
  tokens.grid = service.token('grid', 'supplier');
  tokens.ops = service.token('ops', 'operator');
});

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link');

test('a supplier begins where there is something for them, and nothing else is offered', async () => {
  const { page, faults } = await visit();
  await signIn(page, tokens.grid);
  await page.getByRole('heading', { name: 'Needs somebody' }).waitFor();
  await page.getByText('grid, supplier').waitFor();
  expect(await pages(page).allTextContents()).toEqual(['Overview', 'Grid', 'My account']);
  await pages(page).filter({ hasText: 'Grid' }).click();
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  expect(await page.getByRole('button', { name: 'Ask now' }).count()).toBe(0);
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  await pages(page).filter({ hasText: 'My account' }).click();
  await page.getByText('grid, supplier').first().waitFor();
  await page.waitForTimeout(1000);
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  expect(faults).toEqual([]);
});

test('a user and an operator see who they are, and what they may do', async () => {
  const { page } = await visit('#/grid');
  await signIn(page, tokens.ada);
  await page.getByText('ada, user').waitFor();
  expect(await pages(page).count()).toBe(9);
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Ask now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, tokens.ops);
  await page.getByText('ops, operator').waitFor();
  await page.getByRole('button', { name: 'Ask now' }).first().waitFor();
});
