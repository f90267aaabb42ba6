import type { ErrorCode } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { textOf } from '../lenient.ts';

/** Codes of this service that are more precise than their status. */
const specificCodes = wordTable<ErrorCode>({
  content_filter: 'upstream_policy',
  ResponsibleAIPolicyViolation: 'upstream_policy',
  DeploymentNotFound: 'upstream_not_found',
  // The deployment exists, but its model does not support the dialect of the call.
  OperationNotSupported: 'upstream_not_found',
  unknown_model: 'upstream_not_found',
  EngineOverloaded: 'provider_overloaded',
  NoCapacity: 'provider_overloaded',
});

/** Adds the codes of this service to what a dialect's adapter read from a refusal. */
export function addOwnCodes(found: ReportedFailure, body: string): ReportedFailure {
  const value = parseJson(body);
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  const inner = isObject(error.innererror) ? textOf(error.innererror.code) : undefined;
  const own = [textOf(error.code), inner].flatMap((code) => specificCodes[code ?? ''] ?? []).at(0);
  return { ...found, code: own ?? found.code };
}
