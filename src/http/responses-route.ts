import type { FastifyReply, FastifyRequest } from 'fastify';
import { toHeadgateError } from '../core/errors.ts';
import type { ResponseObject } from '../core/response.ts';
import { refusedAnswer } from '../pipeline/answer.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { Caller } from '../settlement/admit.ts';
import type { AppServices } from './app-services.ts';
import { EventStreamWriter, eventStreamHeaders } from './event-stream.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { answerIdempotently } from './idempotent-answer.ts';
import { readCall } from './read-call.ts';
import { RunningCall } from './running-call.ts';

/** `POST /responses`: checks the body, runs the pipeline, and sends the answer as one body or as a stream. */
export async function handleResponses(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  services: AppServices,
): Promise<ResponseObject | FastifyReply | undefined> {
  const call = readCall(request, caller, services);
  const idempotency = idempotencyKeyOf(request, call.request, caller);
  // A stream may stay open for minutes: what was read of the body is not kept twice.
  request.body = undefined;
  if (idempotency !== undefined) return answerIdempotently(call, idempotency, services, reply);
  const running = new RunningCall(services, call.request.stream);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const answer = call.request.stream ? answerStream : answerWhole;
  try {
    return await answer({ ...call, signal: running.signal }, services, reply, running);
  } finally {
    running.over();
  }
}

async function answerWhole(
  call: InferenceCall,
  services: AppServices,
  reply: FastifyReply,
): Promise<ResponseObject | undefined> {
  const answer = run(call, services);
  for (;;) {
    const { done, value } = await answer.next();
    if (done !== true) continue;
    // Nobody is left to answer; the reply is only marked as done.
    if (value === undefined) reply.hijack();
    return value;
  }
}

async function answerStream(
  call: InferenceCall,
  services: AppServices,
  reply: FastifyReply,
  running: RunningCall,
): Promise<undefined> {
  const headers = { ...reply.getHeaders(), ...eventStreamHeaders } as Record<string, string>;
  const writer = new EventStreamWriter(reply.raw, headers, services.config.server.keepAlive);
  try {
    for await (const events of run(call, services)) {
      running.begun();
      reply.hijack();
      if (isTerminal(events.at(-1)?.type)) writer.end(events);
      else await writer.write(events);
    }
    reply.hijack();
  } catch (thrown) {
    if (!writer.committed) throw thrown;
    reply.hijack();
    const error = thrown instanceof RefusedCall ? thrown.error : toHeadgateError(thrown);
    const metadata = thrown instanceof RefusedCall ? thrown.metadata : undefined;
    services.onRefused(error);
    if (error.code === 'server') services.log.error({ id: call.generationId, err: thrown }, 'answer failed');
    writer.end(refusedAnswer(call.request, error, metadata, services.clock));
  } finally {
    writer.stop();
  }
}

function isTerminal(type: string | undefined): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}
