import type { CacheControl } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { claudeTraits } from '../claude-model.ts';
import type { Conversation } from './encode-conversation.ts';
import { familyOf, type ModelFamily } from './model-family.ts';
import type { CachePoint, ToolSpec } from './wire-types.ts';

/** How many cache points a model accepts. */
export const maxCachePoints = 4;

/** Model makers whose models cache prefixes, but for the oldest. */
const cachingFamilies: ReadonlySet<ModelFamily> = new Set(['claude', 'nova', 'nova-2']);
const uncached = /claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)/i;

/** Whether a model caches prefixes here; the others refuse cache points. */
export function cachesPrefixes(upstreamModel: string): boolean {
  return cachingFamilies.has(familyOf(upstreamModel)) && !uncached.test(upstreamModel);
}

/**
 * The cache point that ends a cacheable prefix for a model; undefined where the model has no cache or the request
 * asked for none.
 */
export function cachePointFor({
  endpoint,
}: UpstreamCall): (control: CacheControl | undefined) => CachePoint | undefined {
  const long = claudeTraits(endpoint.upstreamModel)?.longCache === true;
  return (control) => {
    if (control === undefined || !cachesPrefixes(endpoint.upstreamModel)) return undefined;
    return { type: 'default', ttl: long && control.ttl === '1h' ? '1h' : undefined };
  };
}

/**
 * Puts the request's own cache point at the end of the conversation and keeps only as many cache points as models
 * accept: the last ones. Earlier points take the longer lifetime of a later one, because models refuse a long
 * lifetime after a short one.
 */
export function settleCachePoints(
  tools: ToolSpec[],
  { system, messages }: Conversation,
  own: CachePoint | undefined,
): void {
  const lists: object[][] = [tools, system, ...messages.map(({ content }) => content)];
  const last = messages.at(-1)?.content ?? system;
  const end = last.at(-1);
  if (own !== undefined && end !== undefined && !('cachePoint' in end)) last.push({ cachePoint: own });
  let surplus = lists.flat().filter((block) => 'cachePoint' in block).length - maxCachePoints;
  for (const list of lists) surplus -= dropPoints(list, surplus);
  const points = lists
    .flat()
    .flatMap((block) => ('cachePoint' in block ? [block.cachePoint as CachePoint] : []));
  const lastLong = points.findLastIndex(({ ttl }) => ttl === '1h');
  for (const point of points.slice(0, Math.max(0, lastLong))) point.ttl = '1h';
}

function dropPoints<Block extends object>(list: Block[], count: number): number {
  const points = list.filter((block) => 'cachePoint' in block).slice(0, Math.max(0, count));
  const dropped = new Set<object>(points);
  if (dropped.size > 0) list.splice(0, list.length, ...list.filter((block) => !dropped.has(block)));
  return dropped.size;
}
