import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { HeadgateError } from '../../core/errors.ts';
import { createGenerationId } from '../../core/ids.ts';
import { responsesDialect } from '../../dialects/responses/responses-dialect.ts';
import type { BodyBudget, BodyOwner, BodyRoom } from '../../http/body-budget.ts';
import { parseJson } from '../../http/request.ts';
import { admitAccount } from '../../settlement/admit.ts';
import type { Caller } from '../../settlement/caller.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { applyPreset } from '../apply-preset.ts';
import { authenticateAgain } from '../authenticate.ts';
import { describeFailure } from '../describe-failure.ts';
import type { SocketServices } from '../inference-services.ts';
import { refuseUnwelcome } from '../load-guard.ts';
import { readCall } from '../read-call.ts';
import { apiBase, type KeyedCall } from '../route.ts';
import { beginTrace, endMessageTrace, noteFailure, withTrace } from '../trace-exchange.ts';
import { continued, type LastResponse, UnknownResponse } from './last-response.ts';
import { runMessage } from './run-message.ts';
import { SocketAnswer } from './socket-answer.ts';
import { answerWarmUp, checkedWarmUp } from './warm-up.ts';

/** How messages are named among spans. */
const messageRoute = { method: 'GET', path: `${apiBase}/responses`, access: 'inference' } as const;

/** Milliseconds without a request, and of a connection in all. */
const longestIdle = 5 * 60_000;
const longestLife = 60 * 60_000;
/** Milliseconds a client may take to agree that a connection closes. */
const closeGrace = 2_000;
/** Bytes that may wait for a client beside its answer: refusals and pongs. */
const mostWaiting = 256 * 1024;
/** Bytes of a frame before its content, at most. */
const frameHead = 14;

/** Codes of RFC 6455 and its registry for the end of a connection. */
const closeCodes = { done: 1000, goingAway: 1001, unsupported: 1003, policy: 1008 } as const;

/** One connection: a request at a time, each of which is checked as if it had come by HTTP. */
export class SocketSession {
  readonly #connection: WebSocket;
  readonly #call: KeyedCall;
  readonly #services: SocketServices;
  readonly #idle: NodeJS.Timeout;
  readonly #life: NodeJS.Timeout;
  /** Of what is arriving; undefined between two messages. */
  #arriving: MessageRoom | undefined;
  /** Bytes of it. */
  #arrived = 0;
  #kept: { readonly turn: LastResponse; readonly room: MessageRoom } | undefined;
  #running: SocketAnswer | undefined;
  /** Why the connection closes once nothing runs. */
  #ending: string | undefined;

  /** @param call The request that opened it; its headers hold for every message. */
  constructor(connection: WebSocket, socket: Socket, call: KeyedCall, services: SocketServices) {
    this.#connection = connection;
    this.#call = call;
    this.#services = services;
    this.#idle = setTimeout(() => this.#close(closeCodes.done, 'idle'), longestIdle);
    this.#life = setTimeout(() => this.#endAfterAnswer('The connection is an hour old.'), longestLife);
    // Before the connection reads them.
    socket.prependListener('data', (bytes: Buffer) => this.#count(bytes.length));
    connection.on('message', (data, isBinary) => void this.#receive(data, isBinary));
    connection.on('ping', (data) => this.#pong(data));
    connection.on('pong', (data) => this.#uncount(data.length));
    // A frame that breaks the rules; the connection closes itself.
    connection.on('error', () => undefined);
    connection.once('close', () => this.#closed());
  }

  /** Closes the connection once nothing runs on it: the server stops. */
  drain(): void {
    this.#endAfterAnswer('The server is shutting down.');
  }

  async #receive(data: RawData, isBinary: boolean): Promise<void> {
    const room = this.#arriving;
    this.#arriving = undefined;
    this.#arrived = 0;
    room?.arrived();
    if (isBinary) {
      room?.close();
      this.#close(closeCodes.unsupported, 'Messages are text.');
      return;
    }
    if (this.#running !== undefined) {
      room?.close();
      this.#refuse(
        new HeadgateError('invalid_request', 'A request is running on this connection: wait for its end.'),
      );
      return;
    }
    this.#idle.refresh();
    const answer = new SocketAnswer(this.#connection, this.#services.config.server.sendTimeout);
    this.#running = answer;
    const kept = await this.#answer(data, answer);
    this.#kept?.room.close();
    this.#kept = kept && room && hasRoom(room, kept.size) ? { turn: kept.turn, room } : undefined;
    if (this.#kept === undefined) room?.close();
    this.#running = undefined;
    answer.close();
    this.#idle.refresh();
    if (this.#connection.readyState !== this.#connection.OPEN) this.#forget();
    else if (this.#ending !== undefined) this.#close(closeCodes.goingAway, this.#ending);
  }

  /** Answers one message; returns the turn that the next one may go on from. Never rejects. */
  async #answer(data: RawData, answer: SocketAnswer) {
    const id = createGenerationId(this.#services.clock.now());
    let caller: Caller | undefined = this.#call.caller;
    // Each message has spans of its own, in the trace that the headers of the connection name.
    const trace = beginTrace({ id, route: messageRoute, arrival: this.#call.arrival }, this.#services);
    try {
      refuseUnwelcome(this.#services.lifecycle, this.#services.load);
      caller = await authenticateAgain(caller, this.#call.arrival, this.#services);
      admitAccount(caller);
      const request = readMessage(bytesOf(data));
      const body: JsonObject = continued(request.body, this.#kept?.turn);
      const answered = request.isWarmUp ? answerWarmUp : runMessage;
      const checked = request.isWarmUp ? checkedWarmUp(body) : body;
      const sent = { id, headers: this.#call.headers, body: checked };
      const { received, preset } = await applyPreset(sent, caller, responsesDialect.name, this.#services);
      const read = withTrace(readCall(received, caller, responsesDialect, this.#services, preset), {
        body: checked,
        trace,
      });
      return await answered(read, body, answer, this.#services);
    } catch (thrown) {
      noteFailure(trace, thrown);
      this.#refuse(thrown, id, caller);
      return undefined;
    } finally {
      endMessageTrace(trace, caller);
    }
  }

  /** Sends an error that is not part of an answer. */
  #refuse(thrown: unknown, id = createGenerationId(this.#services.clock.now()), caller?: Caller): void {
    const failed = { id, method: 'GET', url: '/responses', caller, arrival: this.#call.arrival };
    const { status, headers, body } = describeFailure(thrown, failed, this.#services);
    this.#sendBeside(JSON.stringify(errorEvent(thrown, status, headers, body)));
    // A key that works no more must not keep a connection.
    if (status === 401) this.#close(closeCodes.policy, 'The API key is not accepted.');
  }

  #sendBeside(text: string): void {
    if (this.#connection.bufferedAmount > mostWaiting) this.#connection.terminate();
    else this.#connection.send(text);
  }

  #pong(data: Buffer): void {
    this.#uncount(data.length);
    // One that takes nothing does not need to know that the server lives.
    if (this.#connection.bufferedAmount < mostWaiting) this.#connection.pong(data);
  }

  /** Takes room for what comes, before it is known whether it is a message. */
  #count(bytes: number): void {
    this.#arriving ??= this.#openRoom();
    this.#arrived += bytes;
    try {
      this.#arriving.take(bytes);
    } catch (refusal) {
      this.#refuse(refusal);
      this.#connection.terminate();
    }
  }

  /** A control frame came, which is no part of a message. */
  #uncount(content: number): void {
    this.#arrived -= content + frameHead;
    if (this.#arrived > 0) return;
    this.#arriving?.close();
    this.#arriving = undefined;
    this.#arrived = 0;
  }

  #openRoom(): MessageRoom {
    const { key, account } = this.#call.caller;
    return new MessageRoom(this.#services.bodies, { key: key.hash, account: account.id }, (reason) => {
      this.#refuse(reason);
      this.#close(closeCodes.policy, reason.message);
    });
  }

  #endAfterAnswer(reason: string): void {
    this.#ending ??= reason;
    if (this.#running === undefined) this.#close(closeCodes.goingAway, reason);
  }

  #close(code: number, reason: string): void {
    this.#connection.close(code, reason);
    setTimeout(() => this.#connection.terminate(), closeGrace).unref();
  }

  #closed(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#life);
    this.#arriving?.close();
    this.#arriving = undefined;
    this.#running?.gone();
    if (this.#running === undefined) this.#forget();
  }

  #forget(): void {
    this.#kept?.room.close();
    this.#kept = undefined;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** Whether what is kept of a turn has room. */
function hasRoom(room: MessageRoom, bytes: number): boolean {
  try {
    room.take(bytes);
    return true;
  } catch {
    return false;
  }
}

/** An error as a message: what its HTTP answer would say, in the words of this transport. */
function errorEvent(
  thrown: unknown,
  status: number,
  headers: Readonly<Record<string, string>>,
  { error }: JsonObject,
): JsonObject {
  const { message, metadata } = error as { message: string; metadata: { error_type: string } };
  const code = thrown instanceof UnknownResponse ? 'previous_response_not_found' : metadata.error_type;
  const wait = headers['retry-after'];
  return {
    type: 'error',
    status,
    error: { type: metadata.error_type, code, message, metadata },
    ...(wait === undefined ? {} : { headers: { 'retry-after': wait } }),
  };
}

/**
 * The room of one message and of what is kept of it, in the same budget as the bodies of HTTP requests: as it arrives,
 * while it is answered, and as long as a later request may go on from it.
 */
class MessageRoom {
  readonly #holder = Object.assign(new EventEmitter(), { destroyed: false });
  readonly #room: BodyRoom;

  /** @param giveUp Called when the message comes too slowly. */
  constructor(bodies: BodyBudget, owner: BodyOwner, giveUp: (reason: HeadgateError) => void) {
    this.#room = bodies.open(this.#holder, owner);
    this.#room.begin(giveUp);
  }

  /** @throws HeadgateError `service_unavailable` when there is no room for so many bytes more. */
  take(bytes: number): void {
    this.#room.take(bytes);
  }

  /** The message has come whole. */
  arrived(): void {
    this.#room.arrived();
  }

  /** Nothing of it is needed any more. */
  close(): void {
    this.#holder.destroyed = true;
    this.#holder.emit('close');
  }
}

/** A request that came as a message. */
interface MessageRequest {
  /** As `POST /responses` takes it. */
  readonly body: JsonObject;
  /** Whether it only prepares the next request (docs/spec/websocket.md#warming-up). */
  readonly isWarmUp: boolean;
}

/**
 * Reads a request that came as a message (docs/spec/websocket.md#messages).
 * @throws HeadgateError `invalid_request` when it is no `response.create`, or asks for what a connection cannot do.
 */
function readMessage(bytes: Buffer): MessageRequest {
  const message = parseJson(bytes);
  if (!isObject(message) || message.type !== 'response.create') {
    throw new HeadgateError(
      'invalid_request',
      'type: must be "response.create", beside the members of a request',
    );
  }
  const { type: _type, stream, background, generate, ...body } = message;
  if (stream === false)
    throw new HeadgateError('invalid_request', 'stream: must be left out, messages are events');
  if (background === true) {
    throw new HeadgateError(
      'invalid_request',
      'background: must be left out, nothing runs without its connection',
    );
  }
  if (generate !== undefined && generate !== null && typeof generate !== 'boolean') {
    throw new HeadgateError('invalid_request', 'generate: expected a boolean');
  }
  return { body: { ...body, stream: true }, isWarmUp: generate === false };
}
