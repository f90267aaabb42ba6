import type { Dispatcher } from 'undici';
import type { Provider } from '../../core/catalogue.ts';
import type { Delta } from '../../core/delta.ts';
import type { HeadgateError } from '../../core/errors.ts';
import type { AnyCall } from '../../ports/upstream.ts';
import { fairScheduler } from '../../waiting/fair-scheduler.ts';
import { largestBatch, MicroBatch } from '../../waiting/micro-batch.ts';
import type { Adapter, Decoder, ReportedFailure } from '../adapter.ts';
import { unreadable } from '../lenient.ts';
import { type AnswerBody, announcedBody, isCompressed } from './answer-body.ts';
import { BatchQueue } from './batch-queue.ts';
import { EventStreamAnswer, EventStreamParser } from './event-stream-parser.ts';
import { brokenConnection, brokenStream, noAnswer, passedLimit, refusedCall } from './failure.ts';
import { type ResponseHeaders, readRetryHint } from './retry-hint.ts';
import { AttemptTimer, limitsOf, type TimeLimit } from './timeouts.ts';
import { WholeAnswer } from './whole-answer.ts';

const maxBody = 64 * 1024;
const beginsAsEvent = /^\s*(event|data|id|retry)?:/;

/** A response that is not a model's answer: a refusal, or something unexpected. */
class PlainAnswer {
  readonly #adapter: Adapter;
  readonly #provider: Provider;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(adapter: Adapter, provider: Provider, status: number, headers: ResponseHeaders) {
    this.#adapter = adapter;
    this.#provider = provider;
    this.#status = status;
    this.#headers = headers;
  }

  /** Keeps a piece of the body; returns false once 64 KiB were read. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    return this.#size < maxBody;
  }

  /** The error that this response means, from as much of it as was read. */
  failure(): HeadgateError {
    const compressed = isCompressed(this.#headers);
    const reported = this.#read(compressed ? '' : this.#bodyText());
    if (this.#status < 300) return noAnswer(this.#provider, reported, compressed);
    return refusedCall(this.#provider, this.#status, reported, readRetryHint(this.#headers, Date.now()));
  }

  /** If the body cannot be read, for example because it is nested too deeply, only the status decides. */
  #read(body: string): ReportedFailure {
    try {
      return this.#adapter.readFailure(this.#status, body, this.#provider, this.#headers);
    } catch {
      return {};
    }
  }

  /** The body, or the first event of an event stream. */
  #bodyText(): string {
    const body = Buffer.concat(this.#chunks).subarray(0, maxBody);
    const text = body.toString();
    if (!beginsAsEvent.test(text)) return text;
    const events: string[] = [];
    const parser = new EventStreamParser(({ data }) => events.push(data), maxBody);
    parser.push([body]);
    parser.end();
    return events[0] ?? '';
  }
}

/** Chunks that have arrived and wait to be read. */
export class ArrivedChunks {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Takes up to so many bytes from the front. */
  take(most: number): readonly Buffer[] {
    if (this.#bytes <= most) {
      const all = this.#chunks;
      this.#chunks = [];
      this.#bytes = 0;
      return all;
    }
    const taken: Buffer[] = [];
    for (let left = most; left > 0; ) {
      const first = this.#chunks.shift();
      if (first === undefined) break;
      if (first.length > left) this.#chunks.unshift(first.subarray(left));
      taken.push(first.subarray(0, left));
      left -= first.length;
    }
    this.#bytes -= most;
    return taken;
  }
}

/**
 * Takes the ids of calls from an answer that had them before: outputs of two calls with one id could not be told apart, so the
 * later call gets an id of ours, like one that came without.
 */
class DistinctCalls {
  #ids: Set<string> | undefined;

  /** Settles the deltas of a batch. */
  settle(batch: Delta[]): void {
    for (let at = 0; at < batch.length; at += 1) {
      const delta = batch[at];
      if (delta?.kind !== 'call' || delta.callId === undefined) continue;
      this.#ids ??= new Set();
      if (this.#ids.has(delta.callId)) batch[at] = { ...delta, callId: undefined };
      else this.#ids.add(delta.callId);
    }
  }
}

/** How long the remainder after a complete answer may take before its connection is closed instead of kept. */
const tailTimeout = 1_000;

/** Data that arrives for many exchanges at about the same time is read together. */
const arrivals = new MicroBatch(largestBatch);

/** Bytes of an answer that may wait to be read before its connection is paused; the runtime takes two megabytes at a time. */
const mostWaiting = 64 * 1024;
/** Bytes that are read in the turn they arrived in. An answer of a hundred words that comes at once is less. */
const fewBytes = 32 * 1024;
/** Bytes that are read at a time of an answer that brings more. */
const slice = 16 * 1024;

/** The reason for which a stream without a reader is aborted. */
const abandoned = new Error('The exchange is over.');

/**
 * One call on its connection: receives the callbacks of the HTTP client and produces batches of deltas. It pauses the
 * connection while the reader lags behind, and settles the outcome exactly once.
 */
export class HttpStream implements Dispatcher.DispatchHandler {
  /** The queue from which the reader takes the answer. */
  readonly batches = new BatchQueue<Delta>(() => this.#listen());
  readonly #adapter: Adapter;
  readonly #call: AnyCall;
  readonly #decoder: Decoder;
  readonly #timer: AttemptTimer;
  readonly #onAbort = () => this.#abandon(this.#call.signal.reason);
  readonly #onTurnOver = () => this.#endTurn();
  readonly #onReadSlice = () => this.#readSlice();
  #controller: Dispatcher.DispatchController | undefined;
  #answer: AnswerBody | undefined;
  #plain: PlainAnswer | undefined;
  /** Whether the answer begins with its first byte; a streamed answer begins with its first event. */
  #beginsWithBytes: boolean;
  #batch: Delta[] = [];
  readonly #calls = new DistinctCalls();
  /** What has arrived and is not decoded yet. */
  readonly #arrived = new ArrivedChunks();
  /** Whether the connection is paused until what arrived is read, or until the reader has taken what waits. */
  #isFull = false;
  #isPaused = false;
  #ended = false;
  #willRead = false;
  #tail: NodeJS.Timeout | undefined;
  #decided = false;

  /** @param streamed Whether an event stream was requested. */
  constructor(adapter: Adapter, decoder: Decoder, call: AnyCall, streamed: boolean) {
    this.#adapter = adapter;
    this.#call = call;
    this.#beginsWithBytes = !streamed;
    this.#decoder = decoder;
    this.#timer = new AttemptTimer(limitsOf(call, streamed), (limit) => this.#expire(limit));
    call.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Whether the visible answer has ended, as far as its dialect shows. */
  get isOver(): boolean {
    return this.#decoder.finished || this.#decoder.ending === true || this.#decoder.resting === true;
  }

  /** Called when the reader stops; an incomplete answer loses its connection. */
  leave(): void {
    if (!this.#decided) this.#abandon(abandoned);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown here, before a byte is written, it leaves the connection usable for the next request.
    if (this.#decided) throw abandoned;
    this.#controller = controller;
    this.#timer.sent();
    this.#call.onSent?.();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.#controller = controller;
    // These are views of the first read, which they would keep in memory until the answer ends.
    controller.rawHeaders = null;
    if (status < 200) return;
    const body = status < 300 ? this.#announced(headers) : 'other';
    if (body === 'events' || body === 'messages') {
      const { room } = this.#call;
      this.#answer = new EventStreamAnswer(this.#decoder, body, { room, onBegun: () => this.#timer.begun() });
    } else if (body === 'whole') {
      this.#answer = new WholeAnswer(this.#decoder, this.#call.room);
      this.#beginsWithBytes = true;
    } else {
      if (status === 401) this.#adapter.onUnauthorized?.(this.#call);
      this.#plain = new PlainAnswer(this.#adapter, this.#call.endpoint.provider, status, headers);
      // A refusal needs no time to generate, so the idle timeout applies from here on.
      if (this.#beginsWithBytes) this.#timer.begun();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#decided) return;
    if (this.#plain) {
      this.#noteBytes();
      if (!this.#plain.add(chunk)) this.#fail(this.#plain.failure());
      return;
    }
    // Events arrive as separate chunks, often dozens at once; reading them together costs a third.
    this.#arrived.push(chunk);
    if (this.#arrived.bytes >= mostWaiting && !this.#isFull) {
      this.#isFull = true;
      this.#controller?.pause();
    }
    this.#readSoon();
  }

  onResponseEnd(): void {
    clearTimeout(this.#tail);
    this.#ended = true;
    this.#readSoon();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#tail);
    if (this.#decided || !this.#readArrived()) return;
    if (this.#decoder.finished || this.#decoder.ending) {
      this.#endOpen();
      return;
    }
    const sent = this.#controller !== undefined;
    this.#fail(this.#plain?.failure() ?? brokenConnection(this.#call.endpoint.provider, sent, error));
  }

  /** Binary messages are an answer only in dialects that use them. */
  #announced(headers: ResponseHeaders): ReturnType<typeof announcedBody> {
    const body = announcedBody(headers, !this.#beginsWithBytes);
    return body === 'messages' && this.#adapter.framing !== 'aws-event-stream' ? 'other' : body;
  }

  #noteBytes(): void {
    if (this.#beginsWithBytes) this.#timer.begun();
    this.#timer.active();
  }

  #readSoon(): void {
    if (this.#decided || this.#willRead) return;
    this.#willRead = true;
    arrivals.add(this.#onTurnOver);
  }

  #endTurn(): void {
    if (this.#arrived.bytes > fewBytes) fairScheduler.add(this.#onReadSlice);
    else if (!this.#decided && this.#readArrived()) this.#afterReading();
    else this.#willRead = false;
  }

  #readSlice(): void {
    if (this.#decided || !this.#readSome(slice)) return;
    this.#afterReading();
  }

  /** Decides what comes after some of what arrived was read: the end, more of it, or more from the connection. */
  #afterReading(): void {
    if (this.#decoder.finished) this.#finish();
    else if (this.batches.full && !this.#isAllRead) this.#hold();
    else if (this.#arrived.bytes > 0) fairScheduler.add(this.#onReadSlice);
    else this.#waitForMore();
  }

  get #isAllRead(): boolean {
    return this.#ended && this.#arrived.bytes === 0;
  }

  #finish(): void {
    this.#complete();
    // The connection can serve again once the few bytes after the last event are read.
    if (!this.#ended) this.#tail = setTimeout(() => this.#controller?.abort(abandoned), tailTimeout);
    this.#resume();
  }

  #waitForMore(): void {
    this.#willRead = false;
    if (this.#ended) {
      if (this.#plain) this.#fail(this.#plain.failure());
      else if (this.#read(() => this.#answer?.end(this.#batch), 0)) this.#complete();
      return;
    }
    if (this.#decoder.ending) this.#timer.ending();
    this.#resume();
  }

  /** Makes the provider wait until the reader has taken what waits for it. */
  #hold(): void {
    this.#isPaused = true;
    if (!this.#ended) this.#controller?.pause();
    this.#timer.hold();
    this.#call.onPaused?.(true);
  }

  #resume(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    // The connection of an answer that has ended may serve another one by now.
    if (!this.#ended) this.#controller?.resume();
  }

  /** Ends an answer whose stream was not terminated: at most a count is missing. */
  #endOpen(): void {
    if (this.#readArrived() && this.#read(() => this.#answer?.end(this.#batch), 0)) this.#complete();
  }

  /** Decodes what has arrived; returns false when that ended in a failure. */
  #readArrived(): boolean {
    return this.#arrived.bytes === 0 || this.#readSome(Number.POSITIVE_INFINITY);
  }

  /** Decodes up to so many bytes of what has arrived; returns false when that ended in a failure. */
  #readSome(most: number): boolean {
    this.#noteBytes();
    const before = this.#arrived.bytes;
    const chunks = this.#arrived.take(most);
    return this.#read(() => this.#answer?.push(chunks, this.#batch), before - this.#arrived.bytes);
  }

  #read(step: () => void, bytes: number): boolean {
    let failure: HeadgateError | undefined;
    try {
      step();
    } catch (thrown) {
      failure = brokenStream(this.#call.endpoint.provider, unreadable(thrown));
    }
    if (this.#batch.length > 0) {
      this.#calls.settle(this.#batch);
      this.batches.push(this.#batch, bytes);
      this.#batch = [];
    }
    if (failure) this.#fail(failure);
    return failure === undefined;
  }

  #expire(limit: TimeLimit): void {
    if (this.#decoder.ending) {
      this.#endOpen();
      this.#controller?.abort(abandoned);
    } else {
      const { provider } = this.#call.endpoint;
      this.#fail(this.#plain?.failure() ?? passedLimit(provider, limit, this.#timer.limits[limit]));
    }
  }

  /** The reader has taken everything. */
  #listen(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#timer.release();
    this.#call.onPaused?.(false);
    // Paused for the reader, whether or not it was full as well.
    this.#isFull = true;
    this.#afterReading();
  }

  #complete(): void {
    this.#decide();
    this.#call.onWhole?.();
    this.batches.end();
  }

  #fail(error: HeadgateError): void {
    this.#decide();
    this.batches.fail(error);
    this.#controller?.abort(abandoned);
  }

  #abandon(reason: unknown): void {
    this.#decide();
    this.batches.abort(reason);
    this.#controller?.abort(abandoned);
  }

  #decide(): void {
    this.#decided = true;
    this.#timer.stop();
    this.#answer?.leave();
    this.#call.signal.removeEventListener('abort', this.#onAbort);
  }
}
