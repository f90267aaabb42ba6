import type { FastifyReply, FastifyRequest } from 'fastify';
import { HeadgateError } from '../core/errors.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AppServices } from './app-services.ts';
import { authenticate, authenticateAgain, requireInferenceKey } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that need a key, before the body is read. */
    caller: Caller | undefined;
  }
}

/** What is done on a route before its handler. It calls back instead of returning a promise. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Finds the caller of a request before its body is read, and once more after that. */
export interface KeyHooks {
  readonly onRequest: Hook;
  readonly preHandler: Hook;
}

/** The hooks of routes that need a key, any. */
export function createKeyHooks({ callers, clock }: Pick<AppServices, 'callers' | 'clock'>): KeyHooks {
  return {
    onRequest: (request, _reply, done) =>
      letIn(request, authenticate(request.headers.authorization, callers, clock), done),
    preHandler: (request, _reply, done) =>
      letIn(request, authenticateAgain(callerOf(request), callers, clock), done),
  };
}

/** Lets inference keys alone in; behind `KeyHooks.onRequest`. */
export const forInference: Hook = (request, _reply, done) => {
  requireInferenceKey(callerOf(request));
  done();
};

/** The caller that the hooks have found. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new HeadgateError('authentication');
  return request.caller;
}

function letIn(
  request: FastifyRequest,
  caller: Caller | Promise<Caller>,
  done: (error?: Error) => void,
): void {
  if (caller instanceof Promise) {
    caller.then((found) => letIn(request, found, done), done);
    return;
  }
  request.caller = caller;
  done();
}
