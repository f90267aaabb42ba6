import { HeadgateError } from '../core/errors.ts';
import type { RateOutcome } from '../ports/rate-limits.ts';

/** Why a request is not admitted by a limit of its rate. */
export type RateRefusal = Extract<RateOutcome, { admitted: false }>;

const windowSeconds = 60;
/** Seconds: no request waits longer, whatever the clocks of two machines say. */
const longestWait = 61;

const holders = {
  key: 'The API key',
  account: 'The account',
  service: 'This service',
  provider: 'This service',
  endpoint: 'This service',
} as const;

/**
 * 429 for a request above a limit of requests, tokens or parallel requests (docs/spec/money.md#rates). For a request
 * that exceeds the limit by itself the answer says not to retry.
 * @param tokens Reserved for the request.
 * @param now Unix milliseconds.
 */
export function rateRefusal(refusal: RateRefusal, tokens: number, now: number): HeadgateError {
  const { subject, metric, limit, used, fitsAt } = refusal;
  const isParallel = metric === 'parallel';
  return new HeadgateError('platform_rate_limit', messageOf(refusal, tokens), {
    metadata: {
      limit_source: `service_${withoutService(subject)}${isParallel ? 'parallel' : 'rate'}`,
      remedy_hint: remedyOf(refusal),
      rate: { metric, limit, used, ...(isParallel ? {} : { window_seconds: windowSeconds }) },
    },
    retryAfter: waitOf(refusal, now),
    headers: {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - used)),
      ...(fitsAt === undefined ? { 'x-should-retry': 'false' } : { 'x-ratelimit-reset': String(fitsAt) }),
    },
  });
}

/** Seconds after which the request may fit; undefined where it never does. @param now Unix milliseconds. */
export function waitOf({ metric, fitsAt }: RateRefusal, now: number): number | undefined {
  if (metric === 'parallel') return 1;
  return fitsAt && Math.min((fitsAt - now) / 1000, longestWait);
}

function withoutService(subject: RateRefusal['subject']): string {
  return subject === 'service' ? '' : `${subject}_`;
}

function messageOf({ subject, metric, limit, used, fitsAt }: RateRefusal, tokens: number): string {
  const holder = holders[subject];
  if (metric === 'parallel') return `${holder} may run ${limit} requests at the same time.`;
  if (metric === 'requests') return `${holder} may make ${limit} requests a minute.`;
  const need = `The request may need ${tokens} tokens`;
  return fitsAt === undefined
    ? `${need}, more than the limit of ${limit} tokens a minute. ${holder} can never send it.`
    : `${holder} may use ${limit} tokens a minute. ${need}, and ${used} are used.`;
}

function remedyOf({ subject, metric, fitsAt }: RateRefusal): string {
  if (metric === 'parallel') return 'Wait until a running request has ended.';
  const raise = subject === 'key' ? 'raise the limit of the key' : 'ask the operator for a higher limit';
  if (fitsAt === undefined) return `Lower max_output_tokens, shorten the prompt, or ${raise}.`;
  return `Wait as long as Retry-After says, or ${raise}.`;
}
