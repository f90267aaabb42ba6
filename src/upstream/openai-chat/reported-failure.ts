import { isObject, type JsonObject } from '../../util/json.ts';
import type { Chunk } from './chunk.ts';

/**
 * The failure that a chunk reports; undefined when it is an answer. A failure is in `error` on either level, or flat
 * in place of choices where a provider fails with a successful status.
 */
export function reportedFailure(chunk: Chunk): unknown {
  const named = chunk.error || chunk.x_groq?.error || chunk.choices?.[0]?.error;
  if (named) return named;
  if (chunk.choices?.length) return undefined;
  const flat: JsonObject = { ...chunk };
  if (isObject(flat.base_resp) && flat.base_resp.status_code) {
    return { message: flat.base_resp.status_msg, code: flat.base_resp.status_code };
  }
  if (flat.error_code) return { message: flat.error_msg, code: flat.error_code };
  const isFailure = flat.object === 'error' || flat.type === 'error' || (flat.message && flat.code);
  return isFailure ? flat : undefined;
}
