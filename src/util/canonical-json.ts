/**
 * JSON text that is equal for equal values: members of objects sorted by name, everything else as `JSON.stringify`
 * writes it. The order of an array, and the difference between a number and a string, count.
 * @param value A result of `JSON.parse`, not nested so deeply that it exhausts the stack.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
