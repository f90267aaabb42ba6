/** Whole nano-USD of an amount of USD as a person writes it; undefined for anything else, or finer than nano-USD. */
export function nanoOfText(text: string): bigint | undefined {
  const [, units, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text.trim().replace(/^\$/, '')) ?? [];
  if (units === undefined) return undefined;
  return BigInt(units) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
