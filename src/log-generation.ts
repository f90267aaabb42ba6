import type { Logger } from 'pino';
import { usdToNumber } from './core/money.ts';
import { totalInput } from './core/usage.ts';
import type { Generation } from './ports/generations.ts';

/**
 * Writes the one line a served request leaves in the log (operations.md 6.4): never what was said, never a key.
 * @param key The key's label.
 */
export function logGeneration(log: Logger, generation: Generation, key: string, failure: unknown): void {
  const line = {
    id: generation.id,
    key,
    model: generation.model ?? generation.requestedModel,
    provider: generation.provider,
    credential: generation.credentialId,
    finish: generation.cancelled ? 'cancelled' : generation.finishReason,
    error: generation.errorType,
    streamed: generation.streamed,
    latency: generation.latency,
    duration: generation.settledAt - generation.createdAt,
    input: totalInput(generation.usage),
    output: generation.usage.output,
    cost: generation.unpriced ? null : usdToNumber(generation.cost),
  };
  if (failure === undefined) log.info(line, 'served');
  else log.error({ ...line, err: failure }, 'served, but not booked');
}
