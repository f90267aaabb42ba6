import { HeadgateError } from '../core/errors.ts';
import { formatUsd, type NanoUsd, usdToNumber, zeroUsd } from '../core/money.ts';
import { tooMany } from '../core/too-many.ts';
import type { FreeRequestOutcome } from '../ports/free-requests.ts';
import type { ApiKey } from '../ports/keys.ts';

/**
 * Every refusal for want of money, as the table of docs/spec/money.md#refusals has it, and of free requests
 * (docs/spec/money.md#free-variants). Only the refusals for a full in-flight budget and for a limit that running requests
 * hold say when to retry: clients take every other 402 as final.
 */

/** Row 1: the account is in debt. */
export function negativeBalance(): HeadgateError {
  return refuseCredits('The account balance is negative.', 'Add credits to the account.');
}

/** Row 2: the key has spent its limit. */
export function keyLimitReached(key: ApiKey): HeadgateError {
  const reset = key.limitReset === null ? '' : ` ${key.limitReset}`;
  const limit = formatUsd(key.limit ?? zeroUsd);
  const wait = key.limitReset === null ? '' : ' or wait for its reset';
  return new HeadgateError('payment_required', `The API key has used up its${reset} limit of ${limit} USD.`, {
    metadata: { limit_source: 'service_key_limit', remedy_hint: `Raise the limit of the key${wait}.` },
  });
}

/**
 * Running requests hold what is left of a limit of a key or a budget (docs/spec/money.md#held-limits). Clients take a 402 as
 * final, so this one says that it is not.
 * @param whose Names the limit, such as "the daily limit of the API key".
 * @param limitSource As the refusal for the limit that is used up names it.
 * @param retryAfter In seconds.
 */
export function limitReserved(
  whose: string,
  limitSource: string,
  { limit, spent, retryAfter, scope }: LimitNumbers,
): HeadgateError {
  return new HeadgateError(
    'payment_required',
    `Running requests hold what is left of ${whose}, ${formatUsd(limit)} USD.`,
    {
      metadata: {
        limit_source: limitSource,
        reason: 'limit_reserved',
        remedy_hint: 'Wait as long as Retry-After says, then retry: requests give back what they do not use.',
        ...(scope === undefined ? {} : { scope }),
        limit_usd: usdToNumber(limit),
        spend_usd: usdToNumber(spent),
      },
      retryAfter,
      headers: { 'x-should-retry': 'true' },
    },
  );
}

interface LimitNumbers {
  readonly limit: NanoUsd;
  readonly spent: NanoUsd;
  /** Seconds. */
  readonly retryAfter: number;
  /** Of a budget. */
  readonly scope?: string;
}

/** Row 3: a paid request without any credits. */
export function noCredits(): HeadgateError {
  return refuseCredits('The account has no credits.', 'Add credits to the account or use a free model.');
}

/** Row 4: the request alone may cost more than the account may have in flight. */
export function exceedsBudget(cost: NanoUsd, budget: NanoUsd): HeadgateError {
  return refuseCredits(
    `The request may cost ${formatUsd(cost)} USD, more than the ${formatUsd(budget)} USD the account may have in flight.`,
    'Lower max_output_tokens, shorten the prompt, or add credits.',
    'weight_exceeds_budget',
  );
}

/** Row 5: running requests, and charges of a moment ago, fill the budget. */
export function budgetExhausted(retryAfter: number): HeadgateError {
  return new HeadgateError(
    'payment_required',
    'Running and recently completed requests fill what the account may have in flight.',
    {
      metadata: {
        limit_source: 'service_in_flight_budget',
        reason: 'in_flight_budget_exhausted',
        remedy_hint: 'Wait as long as Retry-After says, then retry; more credits allow more at a time.',
      },
      retryAfter,
    },
  );
}

/** Row 6: the balance does not cover the request. */
export function exceedsBalance(cost: NanoUsd, balance: NanoUsd): HeadgateError {
  return refuseCredits(
    `The request may cost ${formatUsd(cost)} USD, more than the balance of ${formatUsd(balance)} USD.`,
    'Add credits, or lower max_output_tokens.',
  );
}

/** 503 for paid requests while no charge can be booked, and for those whose counters cannot be reached. */
export function cannotAccount(cause?: unknown): HeadgateError {
  return new HeadgateError('service_unavailable', 'The request cannot be accounted for at the moment.', {
    cause,
  });
}

/**
 * 429 for a free variant asked for too often (docs/spec/money.md#free-variants).
 * @param now Unix milliseconds.
 */
export function tooManyFreeRequests(
  { window, resetsAt }: FreeRequestOutcome & { readonly counted: false },
  limit: number,
  now: number,
): HeadgateError {
  const source = window === 'day' ? 'service_free_tier_daily' : 'service_free_tier_minute';
  const message = `The account may make ${limit} requests for free models a ${window}; the count begins anew at ${new Date(resetsAt).toISOString()}.`;
  return tooMany(message, { limit, resetsAt, now, metadata: { limit_source: source } });
}

function refuseCredits(message: string, remedy: string, reason?: string): HeadgateError {
  return new HeadgateError('payment_required', message, {
    metadata: {
      limit_source: 'service_credits',
      ...(reason === undefined ? {} : { reason }),
      remedy_hint: remedy,
    },
  });
}
