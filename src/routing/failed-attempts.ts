import {
  type Availability,
  type ErrorCode,
  errorTable,
  HeadgateError,
  type PreviousError,
} from '../core/errors.ts';
import { errorDocumentation } from '../core/unavailable.ts';
import { shownText } from '../util/shown-text.ts';
import type { RoutePlan, Target } from './route-plan.ts';

/** An endpoint that failed before it sent anything visible. */
export interface FailedAttempt {
  readonly target: Target;
  readonly error: HeadgateError;
}

/**
 * The one error that a client gets after every attempt failed (docs/spec/routing.md#final-error).
 * @param fallbacks False when the caller asked for none: then the last failure keeps its status.
 */
export function combineFailures(
  failures: readonly FailedAttempt[],
  plan: RoutePlan,
  fallbacks = true,
): HeadgateError {
  const last = failures.at(-1);
  if (last === undefined) return new HeadgateError('server');
  // A failure of the gateway itself belongs to no endpoint (docs/spec/routing.md#final-error).
  if (last.error.code === 'server') return last.error;
  const error = withContext(last, failures);
  const common = commonAvailability(failures);
  if (common !== undefined) return withAvailability(error, error.code, common, failures, plan);
  const transient = failures.every((failure) => errorTable[failure.error.code].retryable);
  const isOne = failures.every(({ target }) => target === last.target);
  if (!isOne && transient && fallbacks) {
    return withAvailability(error, 'temporarily_unavailable', 'temporarily_unavailable', failures, plan);
  }
  return error;
}

/** The availability code when every endpoint answered the same (docs/spec/errors.md#availability). */
const availabilityOf: Partial<Record<ErrorCode, string>> = {
  upstream_rate_limit: 'capacity_exhausted',
  upstream_not_found: 'model_unavailable_upstream',
  upstream_region: 'region_restricted',
};

function commonAvailability(failures: readonly FailedAttempt[]): string | undefined {
  const [first, ...others] = new Set(failures.map(({ error }) => error.code));
  return first === undefined || others.length > 0 ? undefined : availabilityOf[first];
}

/** The last error, with the provider named and the earlier errors listed. */
function withContext(last: FailedAttempt, failures: readonly FailedAttempt[]): HeadgateError {
  const { error, target } = last;
  const earlier = failures.slice(0, -1).map(toPrevious);
  const label = error.code === 'upstream_credential' ? target.credential?.label : undefined;
  return new HeadgateError(error.code, withLabel(error.message, label), {
    metadata: {
      provider_name: target.endpoint.provider.name,
      ...error.metadata,
      ...(label === undefined ? {} : { credential_label: label }),
      ...(earlier.length === 0 ? {} : { previous_errors: earlier }),
    },
    retryAfter: retryHint(failures),
    headers: error.headers,
    cause: error.cause,
  });
}

/** Names the account's own credential that failed. */
function withLabel(message: string, label: string | undefined): string {
  return label === undefined || message.includes(label) ? message : `${message} It is your own: ${label}.`;
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
    retryable: errorTable[code].retryable,
    requested_models: plan.requested.map(shownText),
    docs_url: errorDocumentation,
    affected_providers: [...new Set(failures.map((failure) => failure.target.endpoint.provider.name))],
    ...(hints.length === 0 ? {} : { retry_after: shortest(hints) }),
  };
  const message = code === error.code ? error.message : `${errorTable[code].text} ${error.message}`;
  return new HeadgateError(code, message, {
    metadata: { ...error.metadata, availability },
    retryAfter: error.retryAfter,
    cause: error.cause,
  });
}

/**
 * The shortest wait, but only when every endpoint gave a hint; otherwise a retry could go to one without a hint.
 */
function retryHint(failures: readonly FailedAttempt[]): number | undefined {
  const hints = failures.map((failure) => failure.error.retryAfter);
  if (hints.some((hint) => hint === undefined)) return undefined;
  return shortest(hints.filter((hint) => hint !== undefined));
}

/** The shortest of some waits in seconds; at least one second, because `Retry-After` has whole seconds. */
function shortest(waits: readonly number[]): number {
  return Math.max(1, Math.min(...waits));
}

function toPrevious({ target, error }: FailedAttempt): PreviousError {
  return {
    provider: target.endpoint.provider.name,
    code: error.metadata.provider_code ?? error.type,
    status: error.status,
  };
}
