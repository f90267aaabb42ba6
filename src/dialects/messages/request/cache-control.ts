import type { CacheControl } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import type { JsonObject } from '../../../util/json.ts';
import { CacheControlSchema } from './messages-request-schema.ts';

const check = createChecker(CacheControlSchema);

/**
 * Reads `cache_control` of a block; the lifetime is five minutes unless it says one hour. Unknown members of it have no
 * effect. @throws HeadgateError `invalid_request`.
 */
export function readCacheControl(block: JsonObject, path: string): CacheControl | undefined {
  const { cache_control } = block;
  if (cache_control === undefined || cache_control === null) return undefined;
  return { ttl: check(cache_control, `${path}.cache_control`).ttl ?? '5m' };
}
