// The site's time zone, beside UTC, wherever the device is.

import { expect, test } from 'vitest';

import { tour } from './tour';

const { visit } = tour({ settings: 'time_zone = "Europe/Paris"' });

test('times are in the zone of the site, beside UTC, whatever the device says', async () => {
  const { page, faults } = await visit('#/schedule', { timezoneId: 'America/New_York' });
  await page.getByText(/times in Europe\/Paris \(UTC\+0[12]:00\)/).waitFor();
  const chooser = page.getByLabel('Time zone');
  const usual = await chooser.locator('optgroup').first().locator('option').allTextContents();
  expect(usual).toEqual(['Europe/Paris (the site)', 'UTC', 'America/New_York (this device)']);
  await chooser.selectOption('UTC');
  await page.getByText('times in UTC (UTC)').waitFor();
  await page.reload();
  await page.getByText('times in UTC (UTC)').waitFor();
  expect(faults).toEqual([]);
});
