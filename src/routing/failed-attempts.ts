import { type Availability, type ErrorCode, HeadgateError, type PreviousError } from '../core/errors.ts';
import type { RoutePlan, Target } from './route-plan.ts';

/** An endpoint that failed before it said anything visible. */
export interface FailedAttempt {
  readonly target: Target;
  readonly error: HeadgateError;
}

/** The one error a client gets after every attempt failed (routing.md 5.3). */
export function combineFailures(failures: readonly FailedAttempt[], plan: RoutePlan): HeadgateError {
  const last = failures.at(-1);
  if (last === undefined) return new HeadgateError('server');
  const error = withContext(last, failures);
  const several = failures.length > 1;
  const statuses = new Set(failures.map((failure) => failure.error.status));
  if (statuses.size === 1 && statuses.has(429)) return allRateLimited(error, failures, plan);
  if (statuses.size === 1 && statuses.has(404)) {
    return withAvailability(error, 'upstream_not_found', 'model_unavailable_upstream', failures, plan);
  }
  if (several && failures.every((failure) => isTransient(failure.error.status))) {
    return withAvailability(error, 'temporarily_unavailable', 'temporarily_unavailable', failures, plan);
  }
  return error;
}

function allRateLimited(
  error: HeadgateError,
  failures: readonly FailedAttempt[],
  plan: RoutePlan,
): HeadgateError {
  return withAvailability(error, 'upstream_rate_limit', 'capacity_exhausted', failures, plan);
}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

/** The last error with the provider named and the earlier errors listed. */
function withContext(last: FailedAttempt, failures: readonly FailedAttempt[]): HeadgateError {
  const { error, target } = last;
  const earlier = failures.slice(0, -1).map(toPrevious);
  return new HeadgateError(error.code, error.message, {
    metadata: {
      provider_name: target.endpoint.provider.name,
      ...error.metadata,
      ...(earlier.length === 0 ? {} : { previous_errors: earlier }),
    },
    retryAfter: retryHint(failures),
    headers: error.headers,
    cause: error.cause,
  });
}

function withAvailability(
  error: HeadgateError,
  code: ErrorCode,
  availabilityCode: string,
  failures: readonly FailedAttempt[],
  plan: RoutePlan,
): HeadgateError {
  const hints = failures.map((failure) => failure.error.retryAfter).filter((hint) => hint !== undefined);
  const availability: Availability = {
    code: availabilityCode,
    retryable: availabilityCode !== 'model_unavailable_upstream',
    requested_models: [plan.requested],
    docs_url: '/docs#errors',
    affected_providers: [...new Set(failures.map((failure) => failure.target.endpoint.provider.name))],
    ...(hints.length === 0 ? {} : { retry_after: Math.min(...hints) }),
  };
  const message =
    code === error.code ? error.message : `Every endpoint tried is temporarily down. ${error.message}`;
  return new HeadgateError(code, message, {
    metadata: { ...error.metadata, availability },
    retryAfter: error.retryAfter,
    cause: error.cause,
  });
}

/** The shortest wait, but only when every endpoint gave a hint: else a retry could go to one that gave none. */
function retryHint(failures: readonly FailedAttempt[]): number | undefined {
  const hints = failures.map((failure) => failure.error.retryAfter);
  if (hints.some((hint) => hint === undefined)) return undefined;
  return Math.min(...hints.filter((hint) => hint !== undefined));
}

function toPrevious({ target, error }: FailedAttempt): PreviousError {
  return {
    provider: target.endpoint.provider.name,
    code: error.metadata.provider_code ?? error.type,
    status: error.status,
  };
}
