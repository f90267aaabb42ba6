import type { PublicDialect } from '../dialects/public-dialect.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { Caller } from '../settlement/caller.ts';
import { answerCachingOf } from './answer-caching.ts';
import { applyPreset, mayNamePreset } from './apply-preset.ts';
import { type AnswerSource, cachedSource } from './cached-answer.ts';
import { describeFailedCall } from './describe-failure.ts';
import { EventStreamWriter, eventStreamHeaders } from './event-stream.ts';
import type { HttpReply } from './http-reply.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { answerIdempotently } from './idempotent-answer.ts';
import type { InferenceServices } from './inference-services.ts';
import { pumpAnswer } from './pump-answer.ts';
import { type ReadCall, readCall } from './read-call.ts';
import type { ReceivedRequest } from './received-request.ts';
import { refuseFailed } from './refuse-failed.ts';
import { RunningCall } from './running-call.ts';
import { sendAnswer } from './send-answer.ts';

/**
 * Answers a request of a public dialect: checks the body, runs the pipeline, and sends the answer as one body or as a
 * stream.
 * @throws HeadgateError or RefusedCall as long as nothing was sent.
 */
export async function answerInference(
  request: ReceivedRequest,
  reply: HttpReply,
  caller: Caller,
  dialect: PublicDialect,
  services: InferenceServices,
): Promise<void> {
  const { received, preset } = mayNamePreset(request.body)
    ? await applyPreset(request, caller, dialect.name, services)
    : { received: request, preset: undefined };
  const read = readCall(received, caller, dialect, services, preset);
  const idempotency = idempotencyKeyOf(request, read.call.request, caller, dialect);
  if (idempotency !== undefined) return answerIdempotently(read, idempotency, services, reply);
  const caching = answerCachingOf(request, read, services);
  const source = caching === undefined ? fromModel(services) : await cachedSource(caching, services);
  return answerOnce(read, source, reply, services);
}

function fromModel(services: InferenceServices): AnswerSource {
  return { answer: (call) => run(call, services), headers: {} };
}

/** A call with where its answer comes from. */
type SourcedCall = ReadCall & { readonly source: AnswerSource };

async function answerOnce(
  read: ReadCall,
  source: AnswerSource,
  reply: HttpReply,
  services: InferenceServices,
): Promise<void> {
  const { stream } = read.call.request;
  const running = new RunningCall(services, { streamed: stream, target: reply.raw, facts: read.call });
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const call = running.within(read.call);
  try {
    if (stream) await answerStream(call, { ...read, source }, services, reply, running);
    else await answerWhole(call, { ...read, source }, services, reply);
  } finally {
    running.over();
  }
}

async function answerWhole(
  call: InferenceCall,
  { createWriter, dialect, source }: SourcedCall,
  services: InferenceServices,
  reply: HttpReply,
): Promise<void> {
  const writer = createWriter();
  const ended = await pumpAnswer(
    source.answer(call),
    writer,
    () => undefined,
    (further) => reply.addHeaders(further),
  );
  // The client has gone where the answer has no end.
  if (ended === undefined) return;
  refuseFailed(ended, dialect);
  reply.addHeaders(source.headers);
  const { sendTimeout } = services.config.server;
  await sendAnswer(reply, { status: 200, body: writer.body(), sendTimeout });
}

async function answerStream(
  call: InferenceCall,
  read: SourcedCall,
  services: InferenceServices,
  reply: HttpReply,
  running: RunningCall,
): Promise<void> {
  const headers = { ...reply.headers, ...eventStreamHeaders, ...read.source.headers };
  const writer = read.createWriter();
  const { clock, config } = services;
  const stream = new EventStreamWriter(reply.raw, headers, config.server, () =>
    writer.keepAlive?.(running.progress.turn?.state.model, clock.now()),
  );
  try {
    const send = (text: string, isLast: boolean) => {
      running.begun();
      if (!isLast) return stream.write(text);
      stream.end(text);
      return undefined;
    };
    await pumpAnswer(read.source.answer(call), writer, send, (further) => stream.addHeaders(further));
  } catch (thrown) {
    if (!stream.committed) throw thrown;
    // A silence may have begun the answer already.
    const begun = { ...read, createWriter: () => writer };
    stream.end(describeFailedCall(RefusedCall.of(thrown), begun, services).inStream);
  } finally {
    stream.stop();
  }
}
