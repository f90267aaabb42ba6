import { hideKeys } from '../core/api-key.ts';
import { type ErrorCode, errorTable, type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { StreamEvent } from '../core/response.ts';
import { refusedAnswer } from '../pipeline/answer.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import type { Caller } from '../settlement/caller.ts';
import { rootMessageOf } from '../util/message-of.ts';
import type { AppServices } from './app-services.ts';
import { type Arrival, clientAddress } from './client-address.ts';
import type { FailureServices } from './edge-services.ts';
import { inferencePath, pathOf } from './paths.ts';
import { type Problem, toProblem } from './problem.ts';

/** Which request failed. */
export interface FailedRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  /** Once it is known. */
  readonly caller: Caller | undefined;
  /** Where it came from, as far as that is still known. */
  readonly arrival?: Arrival;
}

/** Their messages quote what the body says, so that its author finds it. */
const quotingCodes: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'unprocessable']);
const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** What a failed request is answered with. Tells the log and whoever counts. */
export function describeFailure(thrown: unknown, request: FailedRequest, services: FailureServices): Problem {
  const refused = thrown instanceof RefusedCall ? thrown : undefined;
  const error = refused?.error ?? toHeadgateError(thrown);
  services.onRefused(error);
  const line = {
    id: request.id,
    client: request.arrival && clientAddress(request.arrival, services.config.server.trustProxy),
    method: request.method,
    path: hideKeys(pathOf(request.url)),
    status: error.status,
    type: error.type,
    provider: error.metadata.provider_name,
  };
  const reason = hideKeys(loggedReason(error));
  const key = request.caller?.key.label;
  if (error.status === 500) services.log.error({ ...line, err: error.cause ?? thrown }, 'request failed');
  else services.log.info({ ...line, key, reason, cause: loggedCause(error) }, 'request refused');
  return toProblem(error, refused?.metadata, request.caller?.account.id);
}

/**
 * The same for a call of a model that got no answer. `events` is the whole stream for a reader whose status was sent with
 * the first comment.
 */
export function describeFailedCall(
  thrown: unknown,
  { request, generationId: id, caller }: CallFacts,
  services: AppServices,
): { readonly problem: Problem; readonly events: readonly StreamEvent[] } {
  const refused = RefusedCall.of(thrown);
  const problem = describeFailure(refused, { id, method: 'POST', url: inferencePath, caller }, services);
  return { problem, events: refusedAnswer(request, refused, services.clock) };
}

/** Why this service could not do it, which is the operator's to know. */
function loggedCause({ code, cause }: HeadgateError): string | undefined {
  return code === 'service_unavailable' && cause !== undefined ? rootMessageOf(cause) : undefined;
}

/** No log may hold prompts (operations.md 6.4), which a provider's words may repeat, and a quoted value may be a part of. */
function loggedReason({ code, message, metadata }: HeadgateError): string {
  if (metadata.provider_name !== undefined) return errorTable[code].text;
  return quotingCodes.has(code) ? message.replaceAll(quotedText, '"..."') : message;
}
