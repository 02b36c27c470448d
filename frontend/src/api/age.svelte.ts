// As of when what is shown is, while the service answers from memory because its database is away.

/** The header of such answers: everything committed until that instant is in them. */
const HEADER = 'X-Wattbook-As-Of';

/** What is told of no state, and so comes while the database is away, too. */
const STATELESS = /\/(api\/v1\/sign-in|health)(\/|$)/;

/** For so long, milliseconds, no answer is of before until it is believed that none will be: of several processes one may be cut off. */
const QUIET = 5000;

let asOf = $state<number | null>(null);
let questions = 0;
/** The newest question whose answer told how it is. */
let newest = 0;
/** When an answer was of before last. */
let keptAt = 0;
/** Runs while answers are as new as ever, and this is not believed yet. */
let timer: ReturnType<typeof setTimeout> | undefined;
let listeners: (() => void)[] = [];

function believe() {
  timer = undefined;
  asOf = null;
  for (const listener of listeners) listener();
}

export const age = {
  /** The oldest of such instants, milliseconds since the epoch; null while answers are as new as ever. */
  get asOf() {
    return asOf;
  },
  /** Numbers a question that is put now. */
  asked(): number {
    questions += 1;
    return questions;
  },
  /**
   * Learns from the answer to a question; an answer to an earlier one says nothing new. One that is as new as ever counts where none
   * was of before for a while before it and after it.
   */
  answered(route: string, answer: Response, question: number) {
    if (!answer.ok || question < newest || STATELESS.test(route)) return;
    newest = question;
    const told = Date.parse(answer.headers.get(HEADER) ?? '');
    if (!Number.isNaN(told)) {
      asOf = Math.min(asOf ?? told, told);
      keptAt = Date.now();
      clearTimeout(timer);
      timer = undefined;
      return;
    }
    if (asOf === null || timer !== undefined || Date.now() - keptAt < QUIET) return;
    timer = setTimeout(believe, QUIET);
  },
  /** Calls when answers are as new as ever again; gives back how to stop. */
  onFresh(listener: () => void): () => void {
    listeners.push(listener);
    return () => {
      listeners = listeners.filter((it) => it !== listener);
    };
  },
};
