import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import type {
  ConnectionSettings,
  ReplyMessage,
  RequestMessage,
  ThreadAnswer,
  ThreadRequest,
} from './protocol.ts';
import { describeFailure } from './sqlite-failure.ts';

/*
 * Entry of the thread that owns a SQLite connection, so that neither an fsync nor a long report holds up
 * the event loop of the server. Every module imported here is loaded a second time in the thread and
 * costs memory and start-up time: keep to node:sqlite and small files of our own.
 */

const port = ownPort();

const connection = new Connection(workerData as ConnectionSettings);

/**
 * Milliseconds that charges gather before they are booked, unless as many wait as are booked together: a transaction costs as
 * much as some dozens of charges in it, and what it writes makes the next charge wait longer for the disk.
 */
const gatherTime = 250;
/** Milliseconds between two tries while they cannot be booked. */
const retryDelay = 1_000;

let timer: NodeJS.Timeout | undefined;
/** Whether the timer is that of a booking that failed. */
let isRetry = false;
/** What was asked while charges were booked. */
let asked: (readonly RequestMessage[])[] = [];

/** Books what waits, a part in each turn, so that charges which still wait for the disk come in between. */
function bookLater(delay: number): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    isRetry = false;
    if (tryToBook()) bookLater(0);
    const requests = asked.flat();
    asked = [];
    if (requests.length > 0) carryOutAll(requests);
  }, delay);
}

function bookNow(): void {
  if (isRetry) return;
  clearTimeout(timer);
  timer = undefined;
  bookLater(0);
}

/** Whether to go on. */
function tryToBook(): boolean {
  try {
    return connection.bookSome(isAsked);
  } catch {
    // The next read fails with the reason.
    bookLater(retryDelay);
    isRetry = true;
    return false;
  }
}

/** Whether requests wait: takes them, because their event cannot come while charges are booked. */
function isAsked(): boolean {
  const received: { readonly message: readonly RequestMessage[] } | undefined = receiveMessageOnPort(port);
  if (received !== undefined) asked.push(received.message);
  return asked.length > 0;
}

port.on('message', carryOutAll);

function carryOutAll(requests: readonly RequestMessage[]): void {
  let replies: ReplyMessage[] = [];
  for (const { number, request } of requests) {
    replies.push(replyTo(number, request));
    // Answers to reads are sent together. The answer to a change is sent before the next request can fail.
    if (request.kind === 'rows') continue;
    port.postMessage(replies);
    replies = [];
    if (request.kind === 'close') {
      clearTimeout(timer);
      port.close();
    } else if (request.kind === 'append') {
      if (connection.isBookingWorthwhile) bookNow();
      else bookLater(gatherTime);
    }
  }
  if (replies.length > 0) port.postMessage(replies);
}

function replyTo(number: number, request: ThreadRequest): ReplyMessage {
  try {
    return { number, answer: carryOut(request) };
  } catch (error) {
    return { number, failure: describeFailure(error) };
  }
}

function carryOut(request: ThreadRequest): ThreadAnswer {
  switch (request.kind) {
    case 'rows':
    case 'change':
      return connection[request.kind](request.sql, request.values);
    case 'append':
      connection.append(request.lines);
      return undefined;
    case 'settle':
      return connection.settle(request.lines);
    default:
      connection[request.kind]();
      return undefined;
  }
}

function ownPort(): MessagePort {
  if (parentPort === null) throw new Error('The database thread must be started as a worker.');
  return parentPort;
}
