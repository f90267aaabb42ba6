/** The result of one request from its client's view. Times are milliseconds. */
export interface Answer {
  /** The faults during the request: `calm`, the only one, or `several`. */
  readonly phase: string;
  /** The HTTP status; 0 when the connection failed before an answer began. */
  readonly status: number;
  /** Whether the client got the whole body or the terminal event of a stream, and it was a success. */
  readonly complete: boolean;
  readonly streamed: boolean;
  /** Of the headers. */
  readonly generationId?: string;
  /** Nano-USD, according to the complete answer. */
  readonly cost?: number;
  readonly idempotencyKey?: string;
  /** From the request to the end of the answer. */
  readonly took: number;
  /** When it ended, Unix time. */
  readonly at: number;
}

/** The ending of an answer in one word, for counting. */
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

/** The maximum and the 99th percentile of the request times in each phase. */
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
