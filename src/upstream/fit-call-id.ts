import { createHash } from 'node:crypto';

const hashLength = 8;

/** The id of a call within a length, the same for the same id; ids of other providers may be longer. */
export function fitCallId(id: string, longest: number): string {
  if (id.length <= longest) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength);
  // The cut may go through a character of two units.
  return `${id.slice(0, longest - hashLength - 1).toWellFormed()}_${hash}`;
}
