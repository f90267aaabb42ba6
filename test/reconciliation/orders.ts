import { type Chooser, chooserOf } from '../routing/random-numbers.ts';
import { type ListedModel, type ProviderSlug, providers } from './price-list.ts';
import type { Counts } from './reckoning.ts';

/** What a provider does with a request. */
export type Behaviour =
  | { readonly kind: 'status'; readonly status: number }
  /** It breaks off in the middle of its answer, which then costs nothing. */
  | { readonly kind: 'breaks' }
  | {
      readonly kind: 'answer';
      readonly tier?: 'priority';
      /** Undefined: it tells no counts, or `nonsense` in their place. */
      readonly counts?: Counts;
      readonly nonsense?: object;
    };

/** A request a client makes, and what comes of it where. */
export interface Order {
  readonly number: number;
  readonly model: ListedModel;
  /** Index of the key that asks. */
  readonly key: number;
  readonly stream: boolean;
  /** The client goes away after the first words. */
  readonly leaves: boolean;
  readonly first: ProviderSlug;
  readonly at: Readonly<Record<ProviderSlug, Behaviour>>;
}

/** Usage that says nothing, however it is put. */
const nonsense: readonly object[] = [
  {},
  { prompt_tokens: '12', completion_tokens: '7', total_tokens: '19' },
  { prompt_tokens: -12, completion_tokens: -7, total_tokens: -19 },
  { prompt_tokens: 12.5, completion_tokens: 7.25, total_tokens: 19.75 },
  { prompt_tokens: 2 ** 53, completion_tokens: 2 ** 63, total_tokens: 2 ** 63 },
  { prompt_tokens: null, completion_tokens: null },
  { prompt_tokens: true, completion_tokens: [7], prompt_tokens_details: 5 },
];

/** Random orders, the same ones for the same seed. */
export function randomOrders(
  seed: number,
  count: number,
  models: readonly ListedModel[],
  keys: number,
): Order[] {
  const choose = chooserOf(seed);
  return Array.from({ length: count }, (_, number) => {
    const stream = choose.chance(0.6);
    const leaves = stream && choose.chance(0.1);
    return {
      number,
      model: choose.one(models),
      key: choose.below(keys),
      stream,
      leaves,
      first: choose.one(providers),
      at: { north: behaviour(choose, leaves), deepinfra: behaviour(choose, leaves) },
    };
  });
}

function behaviour(choose: Chooser, leaves: boolean): Behaviour {
  if (choose.chance(0.12)) return { kind: 'status', status: choose.one([429, 500, 503]) };
  if (choose.chance(0.08) && !leaves) return { kind: 'breaks' };
  const tier = choose.chance(0.2) ? { tier: 'priority' as const } : {};
  if (choose.chance(0.12)) return { kind: 'answer', nonsense: choose.one(nonsense), ...tier };
  return { kind: 'answer', counts: randomCounts(choose), ...tier };
}

function randomCounts(choose: Chooser): Counts {
  const some = (largest: number) => (choose.chance(0.5) ? choose.below(largest) : 0);
  return {
    fresh: 1 + choose.below(choose.one([3, 900, 200_000])),
    cacheRead: some(50_000),
    cacheWrite: some(3_000),
    audio: some(700),
    pictures: some(400),
    written: 1 + choose.below(choose.one([3, 4_000])),
    reasoning: some(500),
  };
}
