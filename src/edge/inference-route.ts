import type { AnswerWriter, PublicDialect } from '../dialects/public-dialect.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AppServices } from './app-services.ts';
import { describeFailedCall } from './describe-failure.ts';
import { EventStreamWriter, eventStreamHeaders } from './event-stream.ts';
import type { HttpReply } from './http-reply.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { answerIdempotently } from './idempotent-answer.ts';
import { pumpAnswer } from './pump-answer.ts';
import { type ReadCall, readCall } from './read-call.ts';
import type { ReceivedRequest } from './received-request.ts';
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
  services: AppServices,
): Promise<void> {
  const read = readCall(request, caller, dialect, services);
  const idempotency = idempotencyKeyOf(request, read.call.request, caller, dialect);
  if (idempotency !== undefined) return answerIdempotently(read, idempotency, services, reply);
  return answerOnce(read, reply, services);
}

async function answerOnce(read: ReadCall, reply: HttpReply, services: AppServices): Promise<void> {
  const { stream } = read.call.request;
  const running = new RunningCall(services, { streamed: stream, response: reply.raw });
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const call: InferenceCall = { ...read.call, signal: running.signal, room: running.room };
  try {
    if (stream) await answerStream(call, read, services, reply, running);
    else await answerWhole(call, read.createWriter(), services, reply);
  } finally {
    running.over();
  }
}

async function answerWhole(
  call: InferenceCall,
  writer: AnswerWriter,
  services: AppServices,
  reply: HttpReply,
): Promise<void> {
  const ended = await pumpAnswer(
    run(call, services),
    writer,
    () => undefined,
    (further) => reply.addHeaders(further),
  );
  // The client has gone where the answer has no end.
  if (ended === undefined) return;
  const { sendTimeout } = services.config.server;
  await sendAnswer(reply, { status: 200, body: writer.body(), sendTimeout });
}

async function answerStream(
  call: InferenceCall,
  read: ReadCall,
  services: AppServices,
  reply: HttpReply,
  running: RunningCall,
): Promise<void> {
  const headers = { ...reply.headers, ...eventStreamHeaders };
  const stream = new EventStreamWriter(reply.raw, headers, services.config.server);
  try {
    const send = (text: string, isLast: boolean) => {
      running.begun();
      if (!isLast) return stream.write(text);
      stream.end(text);
      return undefined;
    };
    await pumpAnswer(run(call, services), read.createWriter(), send, (further) => stream.addHeaders(further));
  } catch (thrown) {
    if (!stream.committed) throw thrown;
    stream.end(describeFailedCall(RefusedCall.of(thrown), read, services).inStream);
  } finally {
    stream.stop();
  }
}
