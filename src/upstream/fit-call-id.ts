import { createHash } from 'node:crypto';

const hashLength = 8;

/**
 * Shortens the id of a call to a length, because ids of other providers may be longer. The same id gives the same
 * result.
 */
export function fitCallId(id: string, longest: number): string {
  if (id.length <= longest) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength);
  // The cut may split a surrogate pair.
  return `${id.slice(0, longest - hashLength - 1).toWellFormed()}_${hash}`;
}
