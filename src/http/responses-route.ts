import type { FastifyReply, FastifyRequest } from 'fastify';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { ResponseObject } from '../core/response.ts';
import { refusedAnswer } from '../pipeline/answer.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { Caller } from '../settlement/admit.ts';
import type { AppServices } from './app-services.ts';
import { EventStreamWriter, eventStreamHeaders } from './event-stream.ts';
import { headerText } from './header-text.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { answerIdempotently } from './idempotent-answer.ts';
import { parseInferenceRequest } from './request/parse-inference-request.ts';
import { RunningCall } from './running-call.ts';

/** `POST /responses`: checks the body, runs the pipeline, and sends the answer as one body or as a stream. */
export async function handleResponses(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  services: AppServices,
): Promise<ResponseObject | FastifyReply | undefined> {
  if (caller.key.kind === 'management') {
    throw new HeadgateError(
      'permission_denied',
      'A management key cannot run inference. Use an inference key.',
    );
  }
  const inference = readInference(request, caller, services);
  const idempotency = idempotencyKeyOf(request, inference, caller);
  // A stream may stay open for minutes: what was read of the body is not kept twice.
  request.body = undefined;
  const call = {
    request: inference,
    caller,
    generationId: request.id,
    attribution: readAttribution(request),
    receivedAt: services.clock.now(),
  };
  if (idempotency !== undefined) return answerIdempotently(call, idempotency, services, reply);
  const running = new RunningCall(services);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const answer = inference.stream ? answerStream : answerWhole;
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
    if (error.code === 'server') services.log.error({ id: call.generationId, err: thrown }, 'answer failed');
    writer.end(refusedAnswer(call.request, error, metadata, services.clock));
  } finally {
    writer.stop();
  }
}

function isTerminal(type: string | undefined): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}

function readInference(request: FastifyRequest, caller: Caller, services: AppServices): InferenceRequest {
  const { aliases, responses } = services.config;
  const pseudonym = (endUser?: string) => services.pseudonym(caller.account.id, endUser);
  const inference = parseInferenceRequest(request.body, {
    headers: {
      sessionId: headerText(request, 'x-session-id'),
      metadata:
        serviceHeader(request, 'metadata', aliases) ??
        serviceHeader(request, 'experimental-metadata', aliases),
      strict: serviceHeader(request, 'strict', aliases),
    },
    aliases,
    echoDefaults: responses.echoDefaults,
    hashEndUser: pseudonym,
  });
  if (inference.canonical.endUser !== undefined) return inference;
  return { ...inference, canonical: { ...inference.canonical, endUser: pseudonym() } };
}

/** A header of the service's own, also under the words an operator configured (README decision 1). */
function serviceHeader(
  request: FastifyRequest,
  name: string,
  aliases: readonly string[],
): string | undefined {
  for (const word of ['service', ...aliases]) {
    const value = headerText(request, `x-${word.toLowerCase()}-${name}`);
    if (value !== undefined) return value;
  }
  return undefined;
}

function readAttribution(request: FastifyRequest): InferenceCall['attribution'] {
  return {
    httpReferer: headerText(request, 'http-referer') ?? headerText(request, 'referer'),
    origin: headerText(request, 'origin'),
    appTitle: headerText(request, 'x-service-title') ?? headerText(request, 'x-title'),
    userAgent: headerText(request, 'user-agent'),
  };
}
