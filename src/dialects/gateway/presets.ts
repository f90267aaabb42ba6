import { HeadgateError } from '../../core/errors.ts';
import { malformed, nameOf, quote } from '../../schema/fault.ts';
import { isObject } from '../../util/json.ts';

const presetPrefix = '@preset/';

/**
 * Refuses a preset that a request names by member or in its slug, where the route does not resolve presets
 * (docs/spec/presets.md#naming). Null counts as absent.
 * @throws HeadgateError `not_found`, or `invalid_request` when the member is not a text.
 */
export function refusePresets(body: unknown, model = ''): void {
  const { preset } = isObject(body) ? body : {};
  if (preset !== undefined && preset !== null && typeof preset !== 'string') {
    throw malformed('preset', `expected a string, got ${nameOf(preset)}`);
  }
  const start = model.indexOf(presetPrefix);
  if (typeof preset === 'string') throw noPreset('preset', preset);
  if (start >= 0) throw noPreset('model', model.slice(start + presetPrefix.length));
}

function noPreset(place: string, name: string): HeadgateError {
  return new HeadgateError('not_found', `${place}: there is no preset ${quote(name)}`);
}
