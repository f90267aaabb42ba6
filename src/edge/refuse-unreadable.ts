import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HeadgateError } from '../core/errors.ts';
import { createGenerationId } from '../core/ids.ts';
import { HttpReply } from '../http/reply.ts';
import { STATUS_CODES } from '../util/node-http.ts';
import { describeFailure } from './describe-failure.ts';
import type { EdgeServices } from './edge-services.ts';
import { securityHeaders } from './route.ts';

interface ConnectionFailure extends Error {
  readonly code?: string;
}

/**
 * Ends a connection that brought something that is no HTTP request, and says why as long as no answer has begun
 * there.
 */
export function refuseUnreadable(failure: ConnectionFailure, socket: Socket, services: EdgeServices): void {
  // More words amid an answer that has begun would read as a part of it.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  if (answer?.headersSent || failure.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = createGenerationId(services.clock.now());
  const unread = { id, method: '', url: '', caller: undefined, arrival: { headers: {}, socket } };
  const { status, body } = describeFailure(refusalOf(failure), unread, services);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-generation-id: ${id}`,
    `x-request-id: ${id}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroySoon();
}

/**
 * Answers a request that HTTP wants refused, and ends its connection.
 * @param fault What is wrong with it, as the end of a sentence.
 */
export function refuseInvalid(
  request: IncomingMessage,
  response: ServerResponse,
  fault: string,
  services: EdgeServices,
): void {
  const id = createGenerationId(services.clock.now());
  const failure = new HeadgateError('invalid_request', `This is not a valid HTTP request: ${fault}.`);
  const { method = '', url = '' } = request;
  const failed = { id, method, url, caller: undefined, arrival: request };
  const { status, body } = describeFailure(failure, failed, services);
  const headers = { 'x-generation-id': id, 'x-request-id': id, ...securityHeaders, connection: 'close' };
  new HttpReply(response, headers, services.config.server.sendTimeout).sendJson(status, JSON.stringify(body));
}

function refusalOf({ code }: ConnectionFailure): HeadgateError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HeadgateError('invalid_request', 'The headers of the request are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HeadgateError('deadline_exceeded', 'The request did not arrive in time.');
    default:
      return new HeadgateError('invalid_request', 'This is not a valid HTTP request.');
  }
}
