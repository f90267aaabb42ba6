import type { Listed, Prices } from './price-list.ts';

/** Tokens in classes that do not overlap, as the provider made them up. */
export interface Counts {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly audio: number;
  readonly pictures: number;
  readonly written: number;
  readonly reasoning: number;
}

/** What a call costs, in 1e-9 USD: reckoned from the specification alone (docs/spec/money.md#cost). */
export function costOf(counts: Counts, { prices, discount, long }: Listed): bigint {
  const input = counts.fresh + counts.cacheRead + counts.cacheWrite + counts.audio + counts.pictures;
  const effective: Prices = long !== undefined && input > long.above ? { ...prices, ...long.prices } : prices;
  const price = (name: string, otherwise: bigint) => {
    const full = effective[name];
    return full === undefined ? otherwise : lessDiscount(full, discount);
  };
  const prompt = price('input', 0n);
  const completion = price('output', 0n);
  const pico =
    BigInt(counts.fresh) * prompt +
    BigInt(counts.cacheRead) * price('cache_read', prompt) +
    BigInt(counts.cacheWrite) * price('cache_write', prompt) +
    BigInt(counts.audio) * price('audio_input', prompt) +
    BigInt(counts.pictures) * price('image_token', prompt) +
    BigInt(counts.written) * completion +
    BigInt(counts.reasoning) * nonZero(price('reasoning', completion), completion) +
    price('request', 0n);
  return (pico + 500n) / 1000n;
}

/** A price of nothing for reasoning is none (docs/spec/money.md#cost). */
function nonZero(price: bigint, otherwise: bigint): bigint {
  return price === 0n ? otherwise : price;
}

/** Rounded half up for every price, as price lists show it. */
function lessDiscount(price: bigint, basisPoints: number): bigint {
  return (price * BigInt(10_000 - basisPoints) + 5_000n) / 10_000n;
}
