import { run, runWhole } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AppServices } from './app-services.ts';
import { describeFailedCall } from './describe-failure.ts';
import { EventStreamWriter, endsStream, eventStreamHeaders } from './event-stream.ts';
import type { HttpReply } from './http-reply.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { answerIdempotently } from './idempotent-answer.ts';
import { readCall } from './read-call.ts';
import type { ReceivedRequest } from './received-request.ts';
import { RunningCall } from './running-call.ts';

/**
 * `POST /responses`: checks the body, runs the pipeline, and sends the answer as one body or as a stream.
 * @throws HeadgateError or RefusedCall as long as nothing was sent.
 */
export async function handleResponses(
  request: ReceivedRequest,
  reply: HttpReply,
  caller: Caller,
  services: AppServices,
): Promise<void> {
  const call = readCall(request, caller, services);
  const idempotency = idempotencyKeyOf(request, call.request, caller);
  if (idempotency !== undefined) return answerIdempotently(call, idempotency, services, reply);
  return answerCall(call, reply, services);
}

async function answerCall(call: CallFacts, reply: HttpReply, services: AppServices): Promise<void> {
  const running = new RunningCall(services, call.request.stream);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const answer = call.request.stream ? answerStream : answerWhole;
  try {
    await answer({ ...call, signal: running.signal }, services, reply, running);
  } finally {
    running.over();
  }
}

async function answerWhole(call: InferenceCall, services: AppServices, reply: HttpReply): Promise<void> {
  const response = await runWhole(call, services);
  // Nobody is left to answer where there is none.
  if (response !== undefined) reply.sendJson(200, JSON.stringify(response));
}

async function answerStream(
  call: InferenceCall,
  services: AppServices,
  reply: HttpReply,
  running: RunningCall,
): Promise<void> {
  const headers = { ...reply.headers, ...eventStreamHeaders };
  const writer = new EventStreamWriter(reply.raw, headers, services.config.server);
  try {
    for await (const events of run(call, services)) {
      running.begun();
      if (endsStream(events.at(-1))) writer.end(events);
      else await writer.write(events);
    }
  } catch (thrown) {
    if (!writer.committed) throw thrown;
    writer.end(describeFailedCall(thrown, call, services).events);
  } finally {
    writer.stop();
  }
}
