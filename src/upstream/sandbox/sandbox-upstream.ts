import { setTimeout as wait } from 'node:timers/promises';
import type { Delta } from '../../core/delta.ts';
import type { Upstream, UpstreamCall } from '../../ports/upstream.ts';
import { refusedCall } from '../wire/failure.ts';
import type { Behaviour, Piece } from './behaviour.ts';
import { echo } from './echo.ts';
import { embed, flaky, json, lorem, type Pace, readPace, reason, TokenCount, tools } from './models.ts';
import { sandboxSupport } from './support.ts';

/** The sandbox models by the provider's own names for them (docs/spec/operations.md#sandbox). */
const behaviours: Readonly<Record<string, Behaviour>> = { echo, lorem, reason, tools, json, flaky };

/** Waits for a number of milliseconds; rejects when the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

const sleepByTimer: Sleep = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

/**
 * The sandbox provider: answers without any network and always the same for the same call. Every text says that it
 * comes from the sandbox. Words count as tokens. The provider's quirks set its pace, see `readPace`.
 */
export function createSandboxUpstream(sleep: Sleep = sleepByTimer): Upstream {
  return {
    async *stream(call) {
      const { endpoint, request, signal } = call;
      signal.throwIfAborted();
      const { upstreamModel: model } = endpoint;
      const behaviour = behaviours[model];
      const isKnown = request.kind === 'embedding' ? model === 'embed' : behaviour !== undefined;
      if (!isKnown) throw refusedCall(endpoint.provider, 404, { message: 'There is no such sandbox model.' });
      call.onSent?.();
      const { kind: _kind, ...body } = request;
      call.onBody?.({ model, ...body });
      const pause = async (milliseconds: number) => {
        if (milliseconds > 0) await sleep(milliseconds, signal).catch(() => undefined);
        signal.throwIfAborted();
      };
      if (request.kind === 'embedding') yield [...embed(request)];
      else if (behaviour !== undefined) yield* perform(behaviour, { ...call, request }, pause);
    },
    support: () => sandboxSupport,
  };
}

async function* perform(
  behaviour: Behaviour,
  call: UpstreamCall,
  pause: (milliseconds: number) => Promise<void>,
): AsyncIterable<readonly Delta[]> {
  const pace = readPace(call.endpoint.provider);
  await pause(pace.firstTokenDelay);
  for (const step of schedule(behaviour(call), pace, new TokenCount(call.request))) {
    if (typeof step === 'number') await pause(step);
    else yield step;
  }
}

/** Groups pieces into batches separated by pauses in milliseconds. */
function* schedule(pieces: Iterable<Piece>, pace: Pace, count: TokenCount): Iterable<Delta[] | number> {
  let batch: Delta[] = [];
  let begun = false;
  try {
    for (const piece of pieces) {
      if (piece.kind === 'wait') {
        if (batch.length > 0) yield batch;
        batch = [];
        yield piece.milliseconds;
        continue;
      }
      if (!count.takes(piece)) break;
      if (!begun) batch.push({ kind: 'start' });
      begun = true;
      batch.push(piece);
      if (batch.length < pace.batchSize) continue;
      yield batch;
      batch = [];
      yield pace.batchDelay;
    }
  } catch (failure) {
    if (batch.length > 0) yield batch;
    throw failure;
  }
  yield [...batch, ...count.ending()];
}
