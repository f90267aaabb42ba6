import { malformed, quoteAll } from '../../../schema/fault.ts';
import { type WithoutNulls, withoutNulls } from '../without-nulls.ts';

/**
 * The sources of a part of which exactly one must be set.
 * @throws HeadgateError `invalid_request` when none or several are.
 */
export function oneSource<Sources extends Record<string, string | null | undefined>>(
  sources: Sources,
  path: string,
): WithoutNulls<Sources> {
  const given = withoutNulls(sources);
  const count = Object.values(given).filter((source) => source !== undefined).length;
  if (count === 1) return given;
  const names = quoteAll(Object.keys(sources));
  throw malformed(path, count === 0 ? `needs one of ${names}` : `must have only one of ${names}`);
}
