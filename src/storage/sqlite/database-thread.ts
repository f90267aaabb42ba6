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

port.on('message', (requests: readonly RequestMessage[]) => {
  let replies: ReplyMessage[] = [];
  for (const { number, request } of requests) {
    replies.push(replyTo(number, request));
    // Answers to reads are sent together. The answer to a change is sent before the next request can fail.
    if (request.kind === 'rows') continue;
    port.postMessage(replies);
    replies = [];
    if (request.kind === 'close') port.close();
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
    case 'settle':
      connection.settle(request.charges);
      return undefined;
    case 'settle-byok':
      return connection.settleByok(request.charges);
    default:
      connection[request.kind]();
      return undefined;
  }
}
