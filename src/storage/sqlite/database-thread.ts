import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import type {
  ConnectionSettings,
  ReplyMessage,
  RequestMessage,
  ThreadAnswer,
  ThreadFailure,
  ThreadRequest,
} from './protocol.ts';

/*
 * Entry of the thread that owns a SQLite connection, so that neither an fsync nor a long report holds up
 * the event loop of the server. Every module imported here is loaded a second time in the thread and
 * costs memory and start-up time: keep to node:sqlite and small files of our own.
 */

const port = parentPort;
if (port === null) throw new Error('The database thread must be started as a worker.');

/** Primary result codes a statement itself brings about: error, too big, constraint, mismatch, misuse, range. */
const statementCodes: ReadonlySet<number | undefined> = new Set([1, 18, 19, 20, 21, 25]);

const connection = new Connection(workerData as ConnectionSettings);

port.on('message', ({ number, request }: RequestMessage) => {
  let reply: ReplyMessage;
  try {
    reply = { number, answer: carryOut(request) };
  } catch (error) {
    reply = { number, failure: describe(error) };
  }
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});

function carryOut(request: ThreadRequest): ThreadAnswer {
  switch (request.kind) {
    case 'rows':
    case 'change':
      return connection[request.kind](request.sql, request.values);
    case 'settle':
      connection.settle(request.rows);
      return undefined;
    default:
      connection[request.kind]();
      return undefined;
  }
}

function describe(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { message: String(error), byStatement: false };
  // SQLite's extended result code; its low byte is the primary one.
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  // A value that cannot be bound is refused before SQLite sees it.
  const unbindable = error instanceof TypeError || error instanceof RangeError;
  return { message: error.message, byStatement: unbindable || statementCodes.has(code) };
}
