import { isObject } from '../util/json.ts';
import type { Change } from './invalidation.ts';

/** Reads the message of another process; everything, if a newer version sent an unknown word. */
export function readChange(message: unknown): Change {
  const { kind, id, keyHash } = isObject(message) ? message : {};
  if (kind === 'destinations') return { kind };
  if (kind === 'callers') return { kind, ...(typeof keyHash === 'string' && { keyHash }) };
  return kind === 'credential' && typeof id === 'string' ? { kind, id } : { kind: 'everything' };
}
