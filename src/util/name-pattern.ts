/** Entries that a list of names may have. */
export const mostNames = 100;

const longestEntry = 200;

/**
 * Reads an entry of a list of names: a name, or a pattern with one `*` for any characters, such as `acme/*`. Returns it
 * in lowercase.
 * @throws RangeError saying what an entry must be.
 */
export function readNamePattern(text: string): string {
  const entry = text.trim().toLowerCase();
  const stars = entry.split('*').length - 1;
  if (entry === '' || entry.length > longestEntry || stars > 1 || /[\s,]/.test(entry)) {
    throw new RangeError('must be a name or a pattern with one "*" such as acme/*');
  }
  return entry;
}

/** Whether a name in lowercase is an entry, or fits its pattern. */
export function fitsNamePattern(entry: string, name: string): boolean {
  const star = entry.indexOf('*');
  if (star < 0) return entry === name;
  const start = entry.slice(0, star);
  const end = entry.slice(star + 1);
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}
