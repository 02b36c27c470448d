import { count } from './count';
import { list } from './list';

/** How the sources of an agenda agree. */
export const agreement = {
  /** `quantity` as in a sentence, `apart` the part of the time in which they do; empty where that is all of it. */
  disagree: (sources: readonly string[], quantity: string, during: string, apart: string) =>
    `${list(sources)} disagree on ${quantity} ${during}${apart && `, for ${apart} of it`}.`,
  says: (source: string, value: string) => `${source} says ${value}`,
  furthest: (during: string, values: readonly string[]) => `They are furthest apart ${during}: ${list(values)}.`,
  difference: (difference: string) => `The difference is ${difference}.`,
  /** In place of the difference, for CO₂. */
  ratios: 'Usual ratios between sources are allowed for, where the site wants that.',
  /** Whose value the agenda has there. */
  takes: {
    order: (value: string, source: string) => `The agenda takes ${value} from ${source}, the first fresh source in the order of the settings.`,
    median: (value: string, source: string) => `The agenda takes ${value} from ${source}, the median.`,
    /** Where it is not known which of the two it was. */
    medianOrOrder: (value: string, source: string) =>
      `The agenda takes ${value} from ${source}: by the median where three sources have a value, else by the order of the settings.`,
    site: (value: string) => `The agenda takes ${value}, an estimate of this site.`,
    nothing: 'The agenda has no value there.',
  },
  since: (time: string) => `This was found ${time}.`,
  more: (others: number) => `${count(others, 'other disagreement')}`,
  /** Of several, only some may lie apart. */
  against: (others: readonly string[], during: string) =>
    others.length > 1 ? `${list(['This source', ...others])} do not all agree, ${during}.` : `It disagrees with ${list(others)}, ${during}.`,
  right: {
    title: (quantity: string) => `Who was right: ${quantity}`,
    nothing: (during: string) =>
      `Nothing is known yet, ${during}. Two sources must have said something about the same hours, and one must have measured them.`,
    judged: (during: string, judged: string) => `It is known what came true of ${judged}, ${during}.`,
    never: 'The sources agreed.',
    apart: (times: number, apart: string) => `The sources disagreed ${count(times, 'time')}, for ${apart} in all.`,
    table: 'Sources by how right they were',
    columns: {
      source: 'Source', judged: 'Time judged', error: 'Mean absolute error', bias: 'Bias', nearest: 'Nearest in disagreements',
      apart: 'Mean absolute error in disagreements', ratio: 'Usual ratio',
    },
    /** The part of the time in which a source says itself what came true. */
    itself: (length: string) => `its own measurements: ${length}`,
    nearest: (nearest: number, all: number, share: string) => `${nearest} of ${all} (${share})`,
    explained:
      'Each source is compared with what was measured later. A bias above zero means that it said too much. ' +
      'A source that is compared with its own measurements errs only by what it corrected. ' +
      'The usual ratio is to the first source: what differs by it alone counts as agreement.',
  },
};
