/**
 * JSON as text that is equal for equal values: members of objects in the order of their names, everything else as
 * `JSON.stringify` writes it, so that the order of an array, a number and a string count exactly.
 * @param value What `JSON.parse` made; not nested so deep that it exhausts the stack.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
