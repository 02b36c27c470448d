// Agendas' pieces as steps.

import type { CapPiece, IntensityPiece, PricePiece } from '../api/schema';
import type { Step } from '../ui/steps';

type Piece = PricePiece | IntensityPiece | CapPiece;

function valueOf(piece: Piece): number {
  if ('price_per_mwh' in piece) return piece.price_per_mwh;
  return 'intensity_g_per_kwh' in piece ? piece.intensity_g_per_kwh : piece.cap_w;
}

/** An agenda's pieces, whichever quantity they are of. */
export function steps({ pieces }: { pieces: readonly Piece[] }): Step[] {
  return pieces.map((piece) => ({
    start: Date.parse(piece.start),
    end: Date.parse(piece.end),
    value: valueOf(piece),
  }));
}
