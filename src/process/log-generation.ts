import type { Logger } from 'pino';
import { usdToNumber } from '../core/money.ts';
import { totalInput } from '../core/usage.ts';
import type { Generation, ProviderAttempt } from '../ports/generations.ts';

/**
 * Statuses of attempts that an operator may have to act on: credentials, credit and limits; all from 500 on too.
 */
const troubling: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/**
 * Writes the one log line of a request that reached a provider (docs/spec/operations.md#logs): never contents, never a
 * key. Names each failed endpoint with the reason, even when another one answered.
 * @param key The key's label.
 */
export function logGeneration(log: Logger, generation: Generation, key: string, failure: unknown): void {
  const failures = generation.attempts.filter(({ failure }) => failure !== undefined).map(showAttempt);
  const line = {
    id: generation.id,
    key,
    model: generation.model ?? generation.requestedModel,
    provider: generation.provider,
    credential: generation.credentialId,
    status: statusOf(generation),
    finish: generation.cancelled ? 'cancelled' : generation.finishReason,
    error: generation.errorType,
    failures: failures.length === 0 ? undefined : failures,
    streamed: generation.streamed,
    latency: generation.latency,
    duration: generation.settledAt - generation.createdAt,
    input: totalInput(generation.usage),
    output: generation.usage.output,
    implausible: generation.implausibleUsage,
    cost: generation.unpriced ? null : usdToNumber(generation.cost),
  };
  const isServed = generation.cancelled || generation.finishReason !== 'error';
  const brokeOff = !isServed && generation.latency !== undefined;
  const needsAttention =
    brokeOff ||
    generation.implausibleUsage !== undefined ||
    failures.some(({ status }) => status >= 500 || troubling.has(status));
  if (failure !== undefined) log.error({ ...line, err: failure }, 'served, but not booked');
  else log[needsAttention ? 'warn' : 'info'](line, isServed ? 'served' : 'failed');
}

/** The first status that the client got; undefined where the line of the refusal has it. */
function statusOf({ cancelled, finishReason, streamed, latency }: Generation): number | undefined {
  if (cancelled) return 499;
  return finishReason !== 'error' || (streamed && latency !== undefined) ? 200 : undefined;
}

function showAttempt({ provider, tag, keyPosition, status, failure, latency }: ProviderAttempt) {
  return { provider, tag, key: keyPosition, status, reason: failure?.row, code: failure?.code, latency };
}
