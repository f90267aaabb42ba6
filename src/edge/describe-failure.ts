import { hideKeys } from '../core/api-key.ts';
import { isConnectionFailure } from '../core/connection-failures.ts';
import {
  type ErrorCode,
  type HeadgateError,
  publicMessage,
  toHeadgateError,
  wholeWait,
} from '../core/errors.ts';
import { shownReason } from '../core/shown-reason.ts';
import { type PublicDialect, type PublicError, wholeText } from '../dialects/public-dialect.ts';
import { serviceMetadata } from '../dialects/service-metadata.ts';
import { type Arrival, clientAddress } from '../http/client-address.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller } from '../settlement/caller.ts';
import type { JsonObject } from '../util/json.ts';
import { rootMessageOf } from '../util/message-of.ts';
import type { FailureServices } from './edge-services.ts';
import type { ReadCall } from './read-call.ts';
import { apiBase, pathOf } from './route.ts';

/** Which request failed. */
export interface FailedRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  /** Once it is known. */
  readonly caller: Caller | undefined;
  /** Where it came from, as far as that is still known. */
  readonly arrival?: Arrival;
  /** Whose body the error gets, where it is not the usual one. */
  readonly dialect?: PublicDialect;
  /** Of its spans, where any are made. */
  readonly traceId?: string | undefined;
}

/** Describes the answer to a failed request. Writes the log and notifies the observers. */
export function describeFailure(thrown: unknown, request: FailedRequest, services: FailureServices): Problem {
  const refused = thrown instanceof RefusedCall ? thrown : undefined;
  const error = refused?.error ?? toHeadgateError(thrown);
  services.events.refused(error);
  const line = {
    id: request.id,
    trace_id: request.traceId,
    client: request.arrival && clientAddress(request.arrival, services.config.server.trustProxy),
    method: request.method,
    path: hideKeys(pathOf(request.url)),
    status: error.status,
    type: error.type,
    provider: error.metadata.provider_name,
    provider_code: isConnectionFailure(error.metadata.provider_code)
      ? error.metadata.provider_code
      : undefined,
  };
  const reason = shownReason(error);
  const key = request.caller?.key.label;
  if (error.status === 500) services.log.error({ ...line, err: error.cause ?? thrown }, 'request failed');
  else services.log.info({ ...line, key, reason, cause: loggedCause(error) }, 'request refused');
  const metadata = refused?.report && serviceMetadata(refused.report);
  return toProblem(error, metadata, request.caller?.account.id, request.dialect?.describeError, request.id);
}

/** What describing it needs. */
export interface FailedCallServices extends FailureServices {
  readonly clock: Clock;
}

/** A call of a model that got no answer, as an answer and as the text of a whole stream. */
export interface FailedCall {
  readonly problem: Problem;
  /** For a reader whose status was sent before the call failed. */
  readonly inStream: string;
}

/** Describes a call of a model that failed before anything was answered. Writes the log and notifies the observers. */
export function describeFailedCall(
  refused: RefusedCall,
  { call, dialect, createWriter }: ReadCall,
  services: FailedCallServices,
): FailedCall {
  const { request, generationId: id, caller } = call;
  const failed = { id, method: 'POST', url: apiBase + dialect.path, caller, dialect };
  const problem = describeFailure(refused, failed, services);
  const { error, report, bodies } = refused;
  const sent = bodies.map((body) => ({ kind: 'sent', body }) as const);
  const ended = { kind: 'ended', error, report, at: services.clock.now() } as const;
  // The text of an unstreamed request's writer would be empty.
  const inStream = request.stream ? wholeText(createWriter().write([...sent, ended])) : '';
  return { problem, inStream };
}

/** Why this service could not do it, which is the operator's to know. */
function loggedCause({ code, cause, metadata }: HeadgateError): string | undefined {
  const isTold = code === 'service_unavailable' || isConnectionFailure(metadata.provider_code);
  return isTold && cause !== undefined ? rootMessageOf(cause) : undefined;
}

/** An error as HTTP carries it. */
interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

const withoutMetadata: ReadonlySet<number> = new Set([401, 402, 500]);
/** Of statuses that providers give as well: what the gateway says by itself, before it routes. */
const beforeRouting: ReadonlySet<ErrorCode> = new Set([
  'payload_too_large',
  'unprocessable',
  'platform_rate_limit',
]);

/** Makes the JSON body of an error. */
type DescribeError = (error: PublicError) => JsonObject;

/**
 * The public form of an error (docs/spec/errors.md#body). A 500 shows nothing but that it is one.
 * @param serviceMetadata What is known of the routing; shown only where it helps.
 * @param userId The account of the caller once it is known.
 * @param describe Makes the body, in another public dialect than the usual one.
 * @param requestId The request's id, for dialects whose bodies name it.
 */
export function toProblem(
  error: HeadgateError,
  serviceMetadata?: JsonObject,
  userId?: string,
  describe: DescribeError = describeError,
  requestId?: string,
): Problem {
  const { code, status, type, retryAfter } = error;
  const headers: Record<string, string> = { ...error.headers };
  if (retryAfter !== undefined) headers['retry-after'] = String(wholeWait(retryAfter));
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  const isShown = !withoutMetadata.has(status) && !beforeRouting.has(code);
  const body = describe({
    status,
    type,
    message: publicMessage(error),
    metadata: status === 500 ? {} : error.metadata,
    serviceMetadata: isShown ? serviceMetadata : undefined,
    userId,
    requestId,
  });
  return { status, headers, body };
}

function describeError({
  status,
  type,
  message,
  metadata,
  serviceMetadata,
  userId,
}: PublicError): JsonObject {
  return {
    error: { code: status, message, metadata: { error_type: type, ...metadata } },
    ...(serviceMetadata === undefined ? {} : { service_metadata: serviceMetadata }),
    user_id: userId ?? null,
  };
}
