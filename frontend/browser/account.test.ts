// One's standing, quotas, and what one is told.

import { expect, test } from 'vitest';

import { QUOTA_RULES } from './quotaRules';
import { hours, tour } from './tour';

const { service, visit } = tour({ settings: QUOTA_RULES });

test('shows how one stands', async () => {
  const { page, faults } = await visit('#/account');
  await page.getByRole('heading', { name: 'My standing' }).waitFor();
  await page.getByRole('row', { name: /climate/ }).waitFor();
  const quotas = page.getByRole('region', { name: 'Quotas', exact: true });
  await quotas.getByText('everybody together').first().waitFor();
  await quotas.getByText(/of 100,000 node-hours a week/).first().waitFor();
  await quotas.getByText(/Quotas are set in the service’s settings file/).waitFor();
  expect(faults).toEqual([]);
});

test('says why a quota refuses, and plans for the next start that it allows', async () => {
  const { page } = await visit('#/plan');
  const window = { earliest_start: hours(40), latest_start: hours(40.5) };
  const made = await service.call<{ id: string; offers: { offer_id: string; end: string }[] }>('POST', 'reservations', {
    nodes: 8, duration_s: 7200, ...window,
  });
  const offer = made.offers[0];
  await service.call('POST', `reservations/${made.id}/choose`, { offer_id: offer?.offer_id });
  // Eight of fourteen nodes are taken then, so eight more are not to be had before its end.
  const end = offer?.end ?? '';
  const wall = new Date(Date.parse(window.earliest_start)).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T');
  await page.getByLabel('Not before').fill(wall.slice(0, 16));
  await page.getByLabel('Nodes', { exact: true }).fill('8');
  await page.getByLabel('It can wait').selectOption('0');
  await page.getByLabel('It can wait').selectOption('start');
  const until = new Date(Date.parse(window.latest_start)).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T');
  await page.getByLabel('Latest start').fill(until.slice(0, 16));
  await page.getByText(/A quota for each user of the rules "default" allows 14 nodes/).waitFor();
  await page.getByRole('button', { name: /the next start that the quotas allow$/ }).click();
  const wanted = new Date(Date.parse(end)).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16);
  expect(await page.getByLabel('Not before').inputValue()).toBe(wanted);
  await page.getByRole('button', { name: 'Book A' }).waitFor();
});

test('makes, copies and revokes the address of a calendar', async () => {
  const { page } = await visit('#/account');
  const calendar = page.getByRole('region', { name: 'In my calendar' });
  await calendar.getByRole('button', { name: 'Make an address' }).click();
  const address = await calendar.getByLabel('Address of my calendar', { exact: true }).inputValue();
  expect(address).toMatch(/\/api\/v1\/calendar\/[0-9a-f]+\.ics$/);
  expect((await fetch(address)).headers.get('content-type')).toContain('text/calendar');
  await calendar.getByRole('button', { name: 'Copy' }).click();
  await calendar.getByText(/^Copied|^It is selected/).waitFor();
  await calendar.getByRole('button', { name: 'Revoke it' }).click();
  await calendar.getByRole('button', { name: 'Yes, revoke it' }).click();
  await calendar.getByText(/^Revoked/).waitFor();
  expect((await fetch(address)).status).toBe(404);
  expect(await calendar.getByLabel('Address of my calendar', { exact: true }).count()).toBe(0);
});

test('sets a webhook of its own, whose secret is shown once', async () => {
  const { page } = await visit('#/account');
  const told = page.getByRole('region', { name: 'Notifications' });
  await told.getByText('This site sends no mails.').waitFor();
  await told.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/');
  await told.getByRole('button', { name: 'Send events there' }).click();
  await told.getByRole('alert').waitFor();
  await told.getByLabel('Address', { exact: true }).fill('https://9.9.9.9/wattbook');
  await told.getByRole('button', { name: 'Send events there' }).click();
  const secret = await told.getByLabel("The webhook's secret", { exact: true }).inputValue();
  expect(secret.length).toBeGreaterThan(30);
  await page.reload();
  await told.getByText('https://9.9.9.9/wattbook').waitFor();
  expect(await told.getByLabel("The webhook's secret", { exact: true }).count()).toBe(0);
  await told.getByRole('button', { name: 'End it' }).click();
  await told.getByRole('button', { name: 'Yes, end it' }).click();
  await told.getByText('Nothing is sent there any more.').waitFor();
});
