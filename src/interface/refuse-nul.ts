import { HeadgateError } from '../core/errors.ts';
import type { RouteCall } from '../edge/route.ts';
import { malformed } from '../schema/fault.ts';

const nul = '\u0000';
const fieldName = /^[a-z_]{1,40}$/;

/**
 * Refuses the character U+0000 wherever a request may hold text: not every database can store it or look for it.
 * @throws HeadgateError `not_found` when it is in the path, which then names nothing; else `invalid_request`.
 */
export function refuseNul({ params, query, body }: RouteCall): void {
  if (holdsNul(params)) throw new HeadgateError('not_found', 'There is nothing of this name.');
  for (const part of [query, body]) {
    // The bytes of a form are no text; what is read of them is checked there.
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) continue;
    const member = Object.entries(part).find((entry) => holdsNul(entry));
    if (member === undefined) continue;
    // Names nobody here knows are not repeated: a credential may be in the wrong place.
    throw malformed(fieldName.test(member[0]) ? member[0] : '', 'must not hold the character U+0000');
  }
}

/** Without recursion: nobody has said yet how deep it may be nested. */
function holdsNul(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string' && one.includes(nul)) return true;
    if (typeof one === 'object' && one !== null) {
      for (const entry of Object.entries(one)) open.push(...entry);
    }
  }
  return false;
}
