const day = 86_400_000;

/** Days that are shown of a limit without a window: so many behind, and at most as many ahead. */
export const shownDays = 30;

/** What a burn-down is made of. Amounts are nano-USD, moments Unix milliseconds. */
export interface LimitFacts {
  readonly limit: bigint;
  /** What was used before the first step. */
  readonly usedBefore: bigint;
  /** When each known step begins; `now` lies in the last one. */
  readonly starts: readonly number[];
  /** What was used in each of them. */
  readonly used: readonly bigint[];
  /** What was used in the last seven days: the pace of what is to come. */
  readonly usedInWeek: bigint;
  /** How long coming steps are. */
  readonly step: number;
  readonly now: number;
  /** When the limit resets; undefined for one that never does. */
  readonly end: number | undefined;
}

type Amounts = readonly (bigint | undefined)[];

/** How a limit is used up. Values are what is left at the end of each step. */
export interface BurnDown {
  /** Known steps, and those to come. */
  readonly starts: readonly number[];
  readonly left: Amounts;
  /** What is left of a limit that is used evenly until it resets. */
  readonly even: Amounts;
  /** What will be left at the pace of seven days, from the running step on. */
  readonly expected: Amounts;
  readonly leftNow: bigint;
  /** When nothing is left at that pace, if that is before the limit resets. */
  readonly usedUpAt: number | undefined;
  /** What will be left when the limit resets; undefined for one that never does, and where nothing was used. */
  readonly leftAtEnd: bigint | undefined;
}

/** Works out how a limit is used up: so far, evenly, and at the pace of seven days. */
export function burnDown(facts: LimitFacts): BurnDown {
  const { limit, usedBefore, starts: known, used, usedInWeek, step, now, end } = facts;
  const first = known[0] ?? now;
  const last = known.length - 1;
  const pace = usedInWeek > 0n ? usedInWeek : undefined;
  let rest = limit - usedBefore;
  const left = known.map((_, index) => {
    rest -= used[index] ?? 0n;
    return atLeastNothing(rest);
  });
  const leftNow = left.at(-1) ?? atLeastNothing(rest);
  const leftAt = (moment: number) =>
    atLeastNothing(leftNow - (pace === undefined ? 0n : usedWithin(pace, moment - now)));
  const empty = pace === undefined || leftNow === 0n ? undefined : emptyAt(leftNow, pace, now);
  const usedUpAt = empty !== undefined && (end === undefined || empty <= end) ? empty : undefined;
  const coming = (known[last] ?? now) + step;
  const until = end ?? endOfDrawing(coming, step, pace === undefined ? undefined : now, empty);
  const starts = [...known];
  for (let next = coming; next < until; next += step) starts.push(next);
  const endOf = (index: number) => starts[index + 1] ?? until;
  const isOver = pace === undefined || leftNow === 0n || starts.length === known.length;
  return {
    starts,
    left: starts.map((_, index) => left[index]),
    even: starts.map((_, index) =>
      end === undefined ? undefined : (limit * BigInt(end - endOf(index))) / BigInt(end - first),
    ),
    expected: isOver
      ? starts.map(() => undefined)
      : expectedFrom(last, starts, leftNow, (index) => leftAt(endOf(index))),
    leftNow,
    usedUpAt,
    leftAtEnd: end === undefined || pace === undefined ? undefined : leftAt(end),
  };
}

/** Where the drawing of a limit without a window ends: with the step in which nothing is left, at most 30 days ahead. */
function endOfDrawing(
  coming: number,
  step: number,
  now: number | undefined,
  empty: number | undefined,
): number {
  if (now === undefined) return coming;
  const until = Math.min(now + shownDays * day, empty ?? Number.POSITIVE_INFINITY);
  // A line needs a second end, also where nothing is left within the running step.
  return Math.max(until, coming + step);
}

const week = 7n * BigInt(day);

/** What is used within so many milliseconds at a pace a week. */
function usedWithin(pace: bigint, length: number): bigint {
  return (pace * BigInt(length)) / week;
}

/** A moment that is too far away to be said is none. */
function emptyAt(left: bigint, pace: bigint, now: number): number | undefined {
  const length = (left * week) / pace;
  // Rounded up, so that nothing is left then.
  return length > 3_650n * BigInt(day) ? undefined : now + Number(length) + 1;
}

/** From the running step to the first one at whose end nothing is left. */
function expectedFrom(
  last: number,
  starts: readonly number[],
  leftNow: bigint,
  leftAt: (index: number) => bigint,
): Amounts {
  let isOver = false;
  return starts.map((_, index) => {
    if (index < last || isOver) return undefined;
    if (index === last) return leftNow;
    const amount = leftAt(index);
    isOver = amount === 0n;
    return amount;
  });
}

function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
