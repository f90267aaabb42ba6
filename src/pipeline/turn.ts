import type { AnswerParts, TurnEnd } from '../core/answer-part.ts';
import { type Admission, admit } from './admission.ts';
import { RefusedCall } from './refused-call.ts';
import { RunningTurn, type TurnPlace } from './running-turn.ts';
import { ClientGone, type InferenceCall, type Services } from './services.ts';

/**
 * One completion by a model: admit, plan, attempts, deltas, one settlement around them, one generation record. Yields the
 * parts of the answer in batches, the last one only after the charge is durable
 * (docs/spec/operations.md#durable-before-visible). Returns how the turn ended; undefined when the client has gone.
 *
 * Fails by throwing RefusedCall as long as nothing was answered; afterwards a failure is part of the answer. Leaving the
 * iteration early cancels and settles the turn; an error thrown into it fails the turn.
 *
 * @param place Undefined where the request is this one turn: then the last part is `ended`.
 */
export async function* turn(
  call: InferenceCall,
  services: Services,
  place?: TurnPlace,
): AsyncGenerator<AnswerParts, TurnEnd | undefined> {
  // A client may leave while a stage or a tool works, between two turns.
  if (call.signal.reason instanceof ClientGone) return undefined;
  let admission: Admission;
  try {
    admission = await admit(call, services);
  } catch (thrown) {
    if (place?.isContinued !== true) {
      if (call.depth === undefined) services.callNotes?.refused(call, thrown);
      throw thrown;
    }
    const { error, report } = RefusedCall.of(thrown);
    return { error, report };
  }
  const running = new RunningTurn(call, admission, services, place);
  let hasYielded = false;
  try {
    const { reduced } = admission.plan;
    // Before any endpoint is asked, so that headers can tell it.
    if (reduced !== undefined) yield [{ kind: 'left_out', tools: reduced.tools }];
    const open = await running.open();
    for await (const batch of running.batches(open)) {
      const parts = running.read(batch, open);
      if (running.isLeft) return undefined;
      if (parts.length === 0) continue;
      yield parts;
      hasYielded = true;
    }
    const end = await running.finish(open);
    yield running.closing(end);
    return end;
  } catch (thrown) {
    if (running.isLeft) return undefined;
    const end = await running.fail(thrown, hasYielded);
    yield running.closing(end);
    return end;
  } finally {
    if (!running.isSettled) await running.cancel();
  }
}
