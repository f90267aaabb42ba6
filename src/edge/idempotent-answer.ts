import { hash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { chatOf } from '../core/request.ts';
import { keepAliveComment, type PublicDialect } from '../dialects/public-dialect.ts';
import { EventStreamWriter, eventStreamHeaders } from '../http/event-stream.ts';
import { type HttpReply, sendAnswer } from '../http/reply.ts';
import { headerText, type ReceivedRequest } from '../http/request.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone } from '../pipeline/services.ts';
import type { AnswerPiece, AnswerRecorder } from '../ports/stored-answers.ts';
import { malformed } from '../schema/fault.ts';
import { refuseDeep } from '../schema/refuse-deep.ts';
import type { Caller } from '../settlement/caller.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { fairScheduler } from '../waiting/fair-scheduler.ts';
import { describeFailedCall, type FailedCallServices } from './describe-failure.ts';
import type { IdempotencyServices } from './inference-services.ts';
import { pumpAnswer, refuseFailed } from './pump-answer.ts';
import type { ReadCall } from './read-call.ts';
import { RunningCall } from './running-call.ts';

type SendServices = Pick<IdempotencyServices, 'config'>;

/** Seconds after which other answers may be over. */
const fullRetry = 1;
const gone =
  'Idempotency-Key: this request was answered and charged already, and its answer takes too much memory to be kept; ' +
  'use a new key to have it answered and charged again';

/**
 * Answers a request that names an idempotency key: the first one makes the answer, equal ones join it from its start
 * or read it again afterwards, and it is charged once. It is made to its end even when every client has gone,
 * because a client that names a key means to ask again. Only an answer that did not fail is kept. One that finds no room in
 * memory goes at the pace of its readers, and is not made a second time.
 * @throws HeadgateError `unprocessable` when the key was used for another request, or its answer is kept no more;
 * `service_unavailable` when answers take all the memory there is for them.
 */
export async function answerIdempotently(
  read: ReadCall,
  { key, fingerprint, account }: IdempotencyKey,
  services: IdempotencyServices,
  reply: HttpReply,
): Promise<void> {
  const claim = await services.storedAnswers.claim(key, fingerprint, account);
  if (claim.outcome === 'conflict') {
    const message = 'Idempotency-Key: was used for another request in the last minutes; use a new one';
    throw new HeadgateError('unprocessable', message);
  }
  if (claim.outcome === 'gone') throw new HeadgateError('unprocessable', gone);
  if (claim.outcome === 'full') {
    const message = 'This server holds as many answers to requests with an Idempotency-Key as it can.';
    throw new HeadgateError('service_unavailable', message, { retryAfter: fullRetry });
  }
  const send = read.call.request.stream ? sendStream : sendWhole;
  if (claim.outcome === 'first') {
    void produce(read, services, claim.recorder);
    return send(claim.answer, reply, services);
  }
  reply.addHeaders({ 'idempotent-replayed': 'true' });
  const known = refusedUnlessBegun(claim.answer, (failure) => refusal(failure, read, services));
  return send(known, reply, services);
}

/** The same answer, but refused when it fails before its text begins: the process that was to make it has died. */
async function* refusedUnlessBegun(
  answer: AsyncIterable<AnswerPiece>,
  refuse: (failure: unknown) => AnswerPiece,
): AsyncGenerator<AnswerPiece> {
  let begun = false;
  try {
    for await (const piece of answer) {
      begun ||= piece.kind === 'body';
      yield piece;
    }
  } catch (failure) {
    if (begun) throw failure;
    yield refuse(failure);
  }
}

/** Runs a call to its end and records what a client shall see. Never fails. */
async function produce(
  read: ReadCall,
  services: IdempotencyServices,
  recorder: AnswerRecorder,
): Promise<void> {
  const running = new RunningCall(services, { streamed: read.call.request.stream, facts: read.call });
  const { trace } = read.call;
  trace?.hold();
  let keep = false;
  try {
    const record = read.call.request.stream ? recordStream : recordWhole;
    keep = await record(read, services, recorder, running);
  } catch (thrown) {
    recorder.write(refusal(thrown, read, services));
  } finally {
    recorder.end(keep);
    running.over();
    trace?.release();
  }
}

/** Records an answer; returns whether it is worth keeping. */
type RecordAnswer = (
  read: ReadCall,
  services: IdempotencyServices,
  recorder: AnswerRecorder,
  running: RunningCall,
) => Promise<boolean>;

const recordStream: RecordAnswer = async ({ call, createWriter }, services, recorder, running) => {
  let isBegun = false;
  let headers = eventStreamHeaders;
  const answer = run(running.within(call), services);
  const send = (text: string) => {
    if (!isBegun) recorder.write(headOf(call, headers));
    isBegun = true;
    running.begun();
    return goOn(recorder.write({ kind: 'body', text }), running);
  };
  const ended = await pumpAnswer(answer, createWriter(), send, (further) => {
    headers = { ...headers, ...further };
  });
  return ended !== undefined && ended.error === undefined;
};

const recordWhole: RecordAnswer = async ({ call, createWriter, dialect }, services, recorder, running) => {
  const writer = createWriter();
  const answer = run(running.within(call), services);
  let headers: Readonly<Record<string, string>> = { 'content-type': 'application/json; charset=utf-8' };
  const ended = await pumpAnswer(
    answer,
    writer,
    () => undefined,
    (further) => {
      headers = { ...headers, ...further };
    },
  );
  if (ended === undefined) throw new HeadgateError('service_unavailable');
  refuseFailed(ended, dialect);
  recorder.write(headOf(call, headers));
  const body = writer.body();
  for (const text of typeof body === 'string' ? [body] : body) {
    await goOn(recorder.write({ kind: 'body', text }), running);
    // One of megabytes is encoded piece by piece, and others have their turn in between.
    if (typeof body !== 'string') await fairScheduler.join();
  }
  return ended.error === undefined;
};

/** Waits until the answer may go on; gives the call up when nobody reads it and it is not kept. */
function goOn(mayGoOn: true | Promise<boolean>, running: RunningCall): Promise<void> | undefined {
  if (mayGoOn === true) return undefined;
  return mayGoOn.then((isWanted) => {
    if (!isWanted) running.giveUp(new ClientGone('Nobody reads the answer, and it is not kept.'));
  });
}

function headOf(
  { generationId: id }: ReadCall['call'],
  headers: Readonly<Record<string, string>>,
): AnswerPiece {
  return { kind: 'head', headers: { ...headers, 'x-generation-id': id, 'x-request-id': id } };
}

function refusal(thrown: unknown, read: ReadCall, services: FailedCallServices): AnswerPiece {
  const { problem, inStream } = describeFailedCall(RefusedCall.of(thrown), read, services);
  return {
    kind: 'refusal',
    status: problem.status,
    headers: { ...problem.headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(problem.body),
    inStream,
  };
}

async function sendWhole(
  answer: AsyncIterable<AnswerPiece>,
  reply: HttpReply,
  { config }: SendServices,
): Promise<void> {
  let status = 200;
  const texts: string[] = [];
  for await (const piece of answer) {
    if (piece.kind === 'body') {
      texts.push(piece.text);
      continue;
    }
    reply.addHeaders(piece.headers);
    if (piece.kind !== 'refusal') continue;
    status = piece.status;
    texts.push(piece.body);
  }
  const [text = ''] = texts;
  const { sendTimeout } = config.server;
  await sendAnswer(reply, { status, body: texts.length > 1 ? texts : text, sendTimeout });
}

async function sendStream(
  answer: AsyncIterable<AnswerPiece>,
  reply: HttpReply,
  { config }: SendServices,
): Promise<void> {
  const headers = { ...reply.headers, ...eventStreamHeaders };
  const { keepAlive, sendTimeout } = config.server;
  const terms = { keepAlive, sendTimeout, closes: config.compat.closeStreams };
  const writer = new EventStreamWriter(reply.raw, headers, terms, () => keepAliveComment);
  try {
    for await (const piece of answer) {
      if (reply.raw.destroyed) break;
      if (piece.kind === 'head') writer.addHeaders(piece.headers);
      else if (piece.kind === 'body') await writer.write(piece.text);
      else if (writer.committed) await writer.write(piece.inStream);
      else {
        reply.addHeaders(piece.headers);
        reply.sendJson(piece.status, piece.body);
        return;
      }
    }
    writer.end('');
  } catch (failure) {
    if (!writer.committed) throw failure;
    // A client that has read a part learns from the closed connection that the rest will not come.
    reply.raw.destroy();
  } finally {
    writer.stop();
  }
}

const longestKey = 255;

/** A key that a caller gave a request, so that sending it again costs and answers the same. */
interface IdempotencyKey {
  /** Tells API keys apart: another one of the account may have another owner, workspace and limit. */
  readonly key: string;
  /** Equal for equal requests: the order in which a body lists the members of an object does not count. */
  readonly fingerprint: string;
  /** The account, whose share of the memory the answer takes. */
  readonly account: string;
}

/**
 * The `Idempotency-Key` of a request; undefined without one. An account with zero retention has none: its answers
 * are stored nowhere, not even for minutes.
 * @throws HeadgateError `invalid_request` when it is no key, or the body too deep to be compared.
 */
export function idempotencyKeyOf(
  request: ReceivedRequest,
  inference: AnyRequest,
  { account, key }: Caller,
  { name: dialect }: PublicDialect,
): IdempotencyKey | undefined {
  const given = headerText(request, 'idempotency-key');
  if (given === undefined || account.zeroRetention) return undefined;
  if (given.length > longestKey) {
    throw malformed('Idempotency-Key', `is longer than ${longestKey} characters`);
  }
  const { wantsMetadata, strict = false, sessionId = '' } = inference;
  const betas = chatOf(inference.canonical)?.betas;
  // Members that are not read may be nested however deep.
  refuseDeep(request.body, '');
  const facts = [request.body, wantsMetadata, strict, sessionId, ...(betas ? [betas] : [])];
  // Versions that knew one dialect did not name it, and may run beside this one.
  if (dialect !== 'responses') facts.push(dialect);
  const fingerprint = hash('sha256', canonicalJson(facts), 'hex');
  return { key: `${key.hash} ${given}`, fingerprint, account: account.id };
}
