import { createServer, type RequestListener, type Server } from 'node:http';
import { originForm } from './origin-form.ts';
import { pathOf } from './paths.ts';

/** Milliseconds an idle connection is kept: longer than load balancers usually keep theirs. */
const keepAliveTimeout = 72_000;

/**
 * The server of the routes that are served directly and of everything else. It listens to nothing yet.
 * @param direct What is served without the framework: listeners of POST requests, by path.
 * @param refuse Answers requests that name no host.
 */
export function createHttpServer(
  direct: ReadonlyMap<string, RequestListener>,
  otherwise: RequestListener,
  refuse: RequestListener,
): Server {
  const serve: RequestListener = (request, response) => {
    if (response.socket === null) {
      // It came before the one ahead of it was answered, whose answer may end the connection: then this one's could
      // never be sent, nor may it be begun (RFC 9112, 9.3.2 and 9.6).
      response.once('socket', () => serve(request, response));
      return;
    }
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      refuse(request, response);
      return;
    }
    const target = originForm(request.url ?? '');
    request.url = target;
    const listener = request.method === 'POST' ? direct.get(pathOf(target)) : undefined;
    (listener ?? otherwise)(request, response);
  };
  // The runtime would refuse a missing Host and expectations it does not know by itself, without the body of an error.
  const server = createServer({ keepAliveTimeout, requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  return server;
}
