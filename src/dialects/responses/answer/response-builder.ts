import type { FinishReason } from '../../../core/delta.ts';
import type { ErrorType } from '../../../core/errors.ts';
import type { JsonObject } from '../../../util/json.ts';
import type {
  OutputItem,
  ResponseEcho,
  ResponseError,
  ResponseObject,
  ResponseUsage,
} from '../../gateway/assembly/response.ts';

/** What is known of an answer when its first snapshot is made. */
export interface ResponseIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The slug that serves. */
  readonly model: string;
  readonly echo: ResponseEcho;
}

/** What the last snapshot adds. */
export interface ResponseEnding {
  readonly usage: ResponseUsage;
  /** The tier that served; undefined when the provider reported none. */
  readonly serviceTier?: string;
  readonly metadata?: JsonObject;
  /** Unix seconds. */
  readonly completedAt: number;
}

/** The snapshot of `response.created` and `response.in_progress` (docs/spec/answers.md#response-object). */
export function beginResponse(identity: ResponseIdentity): ResponseObject {
  return {
    id: identity.id,
    object: 'response',
    created_at: identity.createdAt,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: identity.model,
    output: [],
    usage: null,
    ...identity.echo,
  };
}

/** The last snapshot of an answer the model ended itself, whole or cut off (docs/spec/answers.md#status). */
export function endResponse(
  begun: ResponseObject,
  output: readonly OutputItem[],
  reason: FinishReason,
  ending: ResponseEnding,
): ResponseObject {
  const cut = reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? reason : undefined;
  return {
    ...begun,
    status: cut === undefined ? 'completed' : 'incomplete',
    completed_at: cut === undefined ? ending.completedAt : null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    output,
    ...endingMembers(begun, ending),
  };
}

/** The last snapshot of an answer that broke off. */
export function failResponse(
  begun: ResponseObject,
  output: readonly OutputItem[],
  error: ResponseError,
  type: ErrorType,
  ending: ResponseEnding,
): ResponseObject {
  return { ...begun, status: 'failed', error, error_type: type, output, ...endingMembers(begun, ending) };
}

function endingMembers(begun: ResponseObject, ending: ResponseEnding): Partial<ResponseObject> {
  const members = { usage: ending.usage, service_tier: ending.serviceTier ?? begun.service_tier };
  return ending.metadata === undefined ? members : { ...members, service_metadata: ending.metadata };
}
