import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import { refusedCall } from '../wire/failure.ts';
import { fitSchema } from './fit-schema.ts';

/**
 * The JSON of a value that fits a schema of the call.
 * @throws HeadgateError `upstream_invalid_request` when the sandbox can make none.
 */
export function fittingJson({ endpoint, request }: UpstreamCall, schema: JsonObject): string {
  const value = fitSchema(schema, request.sampling.seed);
  if (value !== undefined) return JSON.stringify(value);
  const message = 'No value fits this JSON Schema, or none that is small enough for the sandbox to make.';
  throw refusedCall(endpoint.provider, 400, { message });
}
