import type { Variation } from './gateways.ts';

/** Where a random number is written. */
export interface NumberPlace {
  readonly offset: number;
  readonly digits: number;
  readonly count: number;
}

const zero = 48;

/** Finds the positions of the numbers in a request. @throws Error when one is missing. */
export function findNumbers(request: Buffer, varies: readonly Variation[]): readonly NumberPlace[] {
  return varies.map(({ after, digits, count }) => {
    const at = request.indexOf(after);
    if (at < 0) throw new Error(`the request holds no ${after}`);
    return { offset: at + after.length, digits, count };
  });
}

/** Writes a random number from 0 to less than `count` into each place, with leading zeros. */
export function drawNumbers(request: Buffer, places: readonly NumberPlace[]): void {
  for (const { offset, digits, count } of places) {
    let rest = Math.floor(Math.random() * count);
    for (let digit = digits - 1; digit >= 0; digit -= 1) {
      request[offset + digit] = zero + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
}
