// How jobs are put into a reservation in Slurm.

import type { ReservationDocument } from '../api/schema';
import { MINUTE } from '../time/words';
import { chosenOffer } from '../ui/offers';
import { clockLength } from '../ui/planAgain';

export interface JobLines {
  batch: string;
  command: string;
  /** The longest time limit that a job may have, milliseconds. */
  limit: number;
}

/**
 * The lines that run jobs in a reservation; null where none can run in it. Limits end a minute before the reservation: Slurm
 * begins no job that reaches into the next one, and jobs begin some seconds late.
 */
export function jobLines(reservation: ReservationDocument, now: number): JobLines | null {
  const { slurm, request, state } = reservation;
  const offer = chosenOffer(reservation);
  if (!slurm || !offer || !['waiting', 'in_force'].includes(slurm.state) || !['confirmed', 'active'].includes(state)) return null;
  const left = Date.parse(offer.end) - Math.max(now, Date.parse(offer.start)) - MINUTE;
  const limit = Math.floor(left / MINUTE) * MINUTE;
  if (limit <= 0) return null;
  const partition = request.partition ? ` --partition=${request.partition}` : '';
  const options = `--reservation=${slurm.reservation}${partition} --nodes=${offer.node_count} --time=${clockLength(limit / 1000)}`;
  return { batch: `sbatch ${options} job.sh`, command: `srun ${options} ./program`, limit };
}
