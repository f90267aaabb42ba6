import { malformed } from './fault.ts';

const deepest = 256;

/**
 * Refuses JSON that nobody here reads but that is written again, when it is nested so deep that writing it
 * could exhaust the stack.
 * @throws HeadgateError `invalid_request`.
 */
export function refuseDeep(value: unknown, path: string): void {
  if (!fits(value, deepest)) throw malformed(path, `must not be nested deeper than ${deepest} levels`);
}

function fits(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => fits(member, levels - 1));
}
