/** What became of one request, as its client saw it. Times are milliseconds. */
export interface Answer {
  /** The troubles it met: `calm`, the one there was, or `several`. */
  readonly phase: string;
  /** Of HTTP; 0 when the connection failed before an answer began. */
  readonly status: number;
  /** The whole body or the terminal event of a stream was there, and it was a success. */
  readonly complete: boolean;
  readonly streamed: boolean;
  /** Of the headers. */
  readonly generationId?: string;
  /** Nano-USD, as the complete answer says. */
  readonly cost?: number;
  readonly idempotencyKey?: string;
  /** From the request to the end of the answer. */
  readonly took: number;
  /** When it ended, Unix time. */
  readonly at: number;
}

/** One word for how an answer ended, to count by. */
function kindOf({ status, complete }: Answer): string {
  if (status === 0) return 'no answer';
  if (status !== 200) return String(status);
  return complete ? '200' : '200, cut or failed';
}

/** Counts answers of each kind in each phase. */
export function tally(
  answers: readonly Answer[],
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const phases: Record<string, Record<string, number>> = {};
  for (const answer of answers) {
    const kinds = phases[answer.phase] ?? {};
    phases[answer.phase] = kinds;
    const kind = kindOf(answer);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return phases;
}

/** The longest time of a request in each phase, and the time 99 of 100 took less than. */
export function durations(answers: readonly Answer[]) {
  const phases = Map.groupBy(answers, ({ phase }) => phase);
  return Object.fromEntries(
    [...phases].map(([phase, all]) => {
      const took = all.map((answer) => answer.took).sort((left, right) => left - right);
      return [phase, { p99: took[Math.floor(took.length * 0.99)] ?? 0, longest: took.at(-1) ?? 0 }];
    }),
  );
}

/** The longest time of a request without an idempotency key, and of one with. */
export function longest(answers: readonly Answer[]): { readonly plain: number; readonly keyed: number } {
  const most = (keyed: boolean) =>
    answers.reduce(
      (most, { took, idempotencyKey }) =>
        (idempotencyKey !== undefined) === keyed ? Math.max(most, Math.round(took)) : most,
      0,
    );
  return { plain: most(false), keyed: most(true) };
}
