import type { AnswerPart, AnswerParts } from '../core/answer-part.ts';
import { admit } from './admission.ts';
import { RunningTurn } from './running-turn.ts';
import { ClientGone, type InferenceCall, type Services } from './services.ts';

/**
 * One completion by a model: admit, plan, attempts, deltas, one bracket around them, one generation record. Yields the
 * parts of the answer in batches, `ended` last, and that only after the charge is durable (operations.md 6.2).
 *
 * Fails by throwing RefusedCall as long as nothing was answered; afterwards a failure is part of the answer. Ends without
 * `ended` when the client has gone. Leaving the iteration early cancels and settles the turn; an error thrown into it
 * fails the turn.
 */
export async function* turn(call: InferenceCall, services: Services): AsyncGenerator<AnswerParts, undefined> {
  const running = new RunningTurn(call, await admit(call, services), services);
  let isTold = false;
  try {
    const open = await running.open();
    let opening: readonly AnswerPart[] | undefined = running.opening(open);
    for await (const batch of open.batches) {
      const deltas = running.read(batch, open);
      const parts: AnswerParts = opening === undefined ? deltas : [...opening, ...deltas];
      opening = undefined;
      if (parts.length === 0) continue;
      yield parts;
      isTold = true;
    }
    yield running.closing(await running.finish(open));
  } catch (thrown) {
    if (call.signal.reason instanceof ClientGone) return undefined;
    yield running.closing(await running.fail(thrown, isTold));
  } finally {
    await running.cancel();
  }
  return undefined;
}
