// Agendas and the power profile as steps.

import type { CapPiece, IntensityPiece, PowerProfileDocument, PricePiece, ProvenanceDocument } from '../api/schema';
import type { Span, Step } from './steps';

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

/** The spans of an agenda whose values are an estimate of the site, not what was announced or measured. */
export function estimatedSpans({ provenance }: { provenance: readonly ProvenanceDocument[] }): Span[] {
  return provenance
    .filter((it) => it.quality === 'estimated')
    .map((it) => ({ start: Date.parse(it.start), end: Date.parse(it.end) }));
}

/** The cap where one is known, and what is reserved, watts. */
export function powers(profile: PowerProfileDocument): { cap: Step[]; reserved: Step[] } {
  const cap: Step[] = [];
  const reserved: Step[] = [];
  for (const step of profile.steps) {
    const [start, end] = [Date.parse(step.start), Date.parse(step.end)];
    reserved.push({ start, end, value: step.reserved_power_w });
    if (step.cap_w != null) cap.push({ start, end, value: step.cap_w });
  }
  return { cap, reserved };
}
