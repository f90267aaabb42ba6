/** A flag as the integer every engine stores. */
export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** A flag as stored, or null where there is none. */
export function flagOrNull(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : flag(value);
}

/** A stored flag as a boolean. */
export function isSet(stored: bigint): boolean {
  return stored !== 0n;
}

/** A stored time or count, or null, as a number. */
export function numberOrNull(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored);
}
