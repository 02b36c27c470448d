import { account } from './account';
import { api } from './api';
import { app } from './app';
import { grid } from './grid';
import { nodes } from './nodes';
import { overview } from './overview';
import { plan } from './plan';
import { reports } from './reports';
import { reservations } from './reservations';
import { schedule } from './schedule';
import { simulate } from './simulate';
import { time } from './time';
import { ui } from './ui';
import { units } from './units';

/** Every text of the page, by the folder that shows it. */
export const en = {
  account,
  api,
  app,
  grid,
  nodes,
  overview,
  plan,
  reports,
  reservations,
  schedule,
  simulate,
  time,
  ui,
  units,
};
