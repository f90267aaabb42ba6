import { type ErrorMetadata, HeadgateError } from './errors.ts';

/** A limit of the gateway's own that is used up. */
interface UsedUp {
  readonly limit: number;
  /** When there is room again, Unix milliseconds. */
  readonly resetsAt: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly metadata?: ErrorMetadata;
}

/** 429 for a limit of the gateway's own, with the headers that say how large it is and when there is room again (docs/spec/errors.md#known-waits). */
export function tooMany(message: string, { limit, resetsAt, now, metadata }: UsedUp): HeadgateError {
  return new HeadgateError('platform_rate_limit', message, {
    ...(metadata !== undefined && { metadata }),
    retryAfter: (resetsAt - now) / 1000,
    headers: {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(resetsAt),
    },
  });
}
