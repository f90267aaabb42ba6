import { parentPort, workerData } from 'node:worker_threads';
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

const port = parentPort;
if (port === null) throw new Error('The database thread must be started as a worker.');

const connection = new Connection(workerData as ConnectionSettings);

/** Milliseconds that charges gather before they are booked: many together cost little more than a few. */
const gatherTime = 10;
/** Milliseconds between two tries while they cannot be booked. */
const retryDelay = 1_000;

let timer: NodeJS.Timeout | undefined;

/** Books what waits, a part in each turn, so that charges which still wait for the disk come in between. */
function bookLater(delay: number): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    if (tryToBook()) bookLater(0);
  }, delay);
}

/** Whether to go on. */
function tryToBook(): boolean {
  try {
    return connection.bookSome();
  } catch {
    // The next read fails with the reason.
    bookLater(retryDelay);
    return false;
  }
}

port.on('message', (requests: readonly RequestMessage[]) => {
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
    } else if (request.kind === 'append') bookLater(gatherTime);
  }
  if (replies.length > 0) port.postMessage(replies);
});

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
