import type { RefusedRequest } from '../../ports/call-notes.ts';
import type { Generation } from '../../ports/generations.ts';
import type { CallPage, CallPlace, UsageRange } from '../../ports/usage.ts';

/** A call that has a record, or a request that was turned away and has the form of one. */
export type ListedCall = { readonly generation: Generation } & Partial<RefusedRequest>;

interface Merged {
  readonly calls: readonly ListedCall[];
  /** Where the next part begins; undefined when the range is exhausted. */
  readonly next: CallPlace | undefined;
  readonly searchedTo: number;
}

/**
 * One page of two lists that begin at the same place, newest first. Where one of them was read less far than the other, the page
 * ends there.
 * @param served Undefined where calls are not listed.
 * @param refused As many as `limit` where there may be more.
 */
export function mergeCalls(
  served: CallPage | undefined,
  refused: readonly RefusedRequest[],
  { range, limit }: { readonly range: UsageRange; readonly limit: number },
): Merged {
  const lastRefused = refused.length < limit ? undefined : placeOf(refused.at(-1));
  const end = newest(served?.next, lastRefused);
  const calls: ListedCall[] = [
    ...(served?.generations ?? []).map((generation) => ({ generation })),
    ...refused,
  ];
  const read = calls
    .filter((call) => end === undefined || !isOlder(placeOf(call), end))
    .sort((one, other) => (isOlder(placeOf(one), placeOf(other)) ? 1 : -1));
  const page = read.slice(0, limit);
  const next = page.length < read.length ? placeOf(page.at(-1)) : end;
  const searchedTo = next?.settledAt ?? served?.searchedTo ?? range.from;
  return { calls: page, next, searchedTo };
}

const nowhere: CallPlace = { settledAt: 0, id: '' };

function placeOf(call: ListedCall | undefined): CallPlace {
  if (call === undefined) return nowhere;
  const { settledAt, id } = call.generation;
  return { settledAt, id };
}

function newest(one: CallPlace | undefined, other: CallPlace | undefined): CallPlace | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isOlder(one, other) ? other : one;
}

function isOlder(one: CallPlace, other: CallPlace): boolean {
  return one.settledAt === other.settledAt ? one.id < other.id : one.settledAt < other.settledAt;
}
