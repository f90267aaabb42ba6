import type { Config } from '../config/config.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { applyPreset } from '../edge/apply-preset.ts';
import type { CallRate } from '../edge/call-rate.ts';
import type { PresetServices, ReadServices, RunningServices } from '../edge/inference-services.ts';
import { readCall } from '../edge/read-call.ts';
import type { JsonAnswer, KeyedCall } from '../edge/route.ts';
import { countInput } from '../pipeline/count-input.ts';
import { ClientGone, type Services } from '../pipeline/services.ts';

/** What it needs. */
interface CountServices extends Services, ReadServices, RunningServices, PresetServices {
  readonly config: Config;
  /** Limits how often a key has tokens counted. */
  readonly countRate: CallRate;
}

/**
 * `POST /messages/count_tokens` (docs/spec/messages.md#counting-tokens).
 * @throws HeadgateError for a body that cannot be meant, models that cannot be found, and too many calls;
 *   RefusedCall where routing leaves no endpoint.
 */
export async function countMessageTokens(call: KeyedCall, services: CountServices): Promise<JsonAnswer> {
  services.countRate.admit(call.caller, services.clock.now());
  const { received } = await applyPreset(call, call.caller, messagesDialect.name, services);
  const { call: facts } = readCall(received, call.caller, messagesDialect, services);
  const abort = new AbortController();
  const giveUp = () => abort.abort(new ClientGone('The client closed the connection.'));
  call.reply.raw.once('close', giveUp);
  const room = services.answerMemory.open(services.config.limits.answerBytes, {
    cutOff: (reason) => abort.abort(reason),
    destroy: giveUp,
  });
  try {
    const { tokens, exact } = await countInput(facts, services, { signal: abort.signal, room });
    return {
      json: { input_tokens: tokens },
      headers: { 'x-service-token-count': exact ? 'exact' : 'estimate' },
    };
  } finally {
    room.close();
    call.reply.raw.off('close', giveUp);
  }
}
