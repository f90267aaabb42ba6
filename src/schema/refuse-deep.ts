import { deepestJson, isDeepJson } from '../util/json.ts';
import { malformed } from './fault.ts';

/**
 * Refuses JSON that nobody here reads but that is written again, when it is nested too deep for that.
 * @throws HeadgateError `invalid_request`.
 */
export function refuseDeep(value: unknown, path: string): void {
  if (isDeepJson(value)) throw malformed(path, `must not be nested deeper than ${deepestJson} levels`);
}
