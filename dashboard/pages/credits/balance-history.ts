/** A movement of credits as the history reads it. */
export interface Moved {
  readonly amount_nano: string;
  readonly created_at: string;
}

/** What the history is worked out from. Amounts are nano-USD. */
export interface HistoryFacts {
  /** The balance at `now`. */
  readonly balance: bigint;
  /** When each step begins. */
  readonly starts: readonly string[];
  /** What was charged in each step. */
  readonly charged: readonly bigint[];
  /** Movements, newest first. */
  readonly moved: readonly Moved[];
  /** Whether these are all movements; otherwise nothing is known before the last one. */
  readonly isComplete: boolean;
}

/** The balance at the end of each step, worked out backwards; undefined where movements are not known. */
export function balanceHistory({
  balance,
  starts,
  charged,
  moved,
  isComplete,
}: HistoryFacts): readonly (bigint | undefined)[] {
  const known = isComplete ? Number.NEGATIVE_INFINITY : Date.parse(moved.at(-1)?.created_at ?? '');
  const history: (bigint | undefined)[] = [];
  let at = balance;
  let next = 0;
  for (let index = starts.length - 1; index >= 0; index -= 1) {
    const start = Date.parse(starts[index] ?? '');
    history.unshift(at);
    at += charged[index] ?? 0n;
    for (let entry = moved[next]; entry !== undefined && Date.parse(entry.created_at) >= start; ) {
      at -= BigInt(entry.amount_nano);
      next += 1;
      entry = moved[next];
    }
    if (start < known) break;
  }
  return [...Array.from({ length: starts.length - history.length }, () => undefined), ...history];
}

/** What will be left if charges go on at a pace. Amounts are nano-USD. */
export interface PaceFacts {
  /** The balance at `now`. */
  readonly balance: bigint;
  readonly perDay: bigint;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When each coming day begins, and one more for the end of the last. */
  readonly midnights: readonly number[];
}

/** The balance at the end of each coming day, to the day it is used up; nothing where nothing is spent or left. */
export function expectedBalances({ balance, perDay, now, midnights }: PaceFacts): readonly bigint[] {
  if (balance <= 0n || perDay <= 0n) return [];
  const expected: bigint[] = [];
  for (const end of midnights.slice(1)) {
    const left = balance - (perDay * BigInt(end - now)) / 86_400_000n;
    expected.push(left > 0n ? left : 0n);
    if (left <= 0n) break;
  }
  return expected;
}

/** When credits are used up at a pace a day; undefined where they are not. */
export function emptyAt(balance: bigint, perDay: bigint, now: number): number | undefined {
  if (balance <= 0n || perDay <= 0n) return undefined;
  const days = Number((balance * 1000n) / perDay) / 1000;
  return days > 3_650 ? undefined : now + days * 86_400_000;
}
