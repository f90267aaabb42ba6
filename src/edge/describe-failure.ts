import { hideKeys } from '../core/api-key.ts';
import { isConnectionFailure } from '../core/connection-failures.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import { shownReason } from '../core/shown-reason.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import { wholeText } from '../dialects/public-dialect.ts';
import { serviceMetadata } from '../dialects/service-metadata.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller } from '../settlement/caller.ts';
import { rootMessageOf } from '../util/message-of.ts';
import { type Arrival, clientAddress } from './client-address.ts';
import type { FailureServices } from './edge-services.ts';
import { apiBase, pathOf } from './paths.ts';
import { type Problem, toProblem } from './problem.ts';
import type { ReadCall } from './read-call.ts';

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
}

/** Describes the answer to a failed request. Tells the log and the counters. */
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

/** Describes a call of a model that failed before anything was answered. Tells the log and the counters. */
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
