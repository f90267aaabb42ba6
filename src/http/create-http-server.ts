import { createServer, type RequestListener, type Server } from 'node:http';
import { originForm } from './origin-form.ts';
import { pathOf } from './paths.ts';

/** Milliseconds an idle connection is kept: longer than load balancers usually keep theirs. */
const keepAliveTimeout = 72_000;

/** What is served without the framework. */
export interface DirectRoute {
  readonly method: string;
  readonly path: string;
  readonly listener: RequestListener;
}

/** The server of one route that is served directly and of everything else. It listens to nothing yet. */
export function createHttpServer(
  { method, path, listener }: DirectRoute,
  otherwise: RequestListener,
): Server {
  return createServer({ keepAliveTimeout }, (request, response) => {
    const target = originForm(request.url ?? '');
    request.url = target;
    const isDirect = request.method === method && pathOf(target) === path;
    (isDirect ? listener : otherwise)(request, response);
  });
}
