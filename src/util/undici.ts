import { createRequire } from 'node:module';
import type undici from 'undici';

/*
 * Parts of undici from their own files: the package's entry also loads fetch, caches, WebSockets and mocks, and with them the
 * runtime's own undici, which a server does not need. Other files import values of the entry only at the moment they need
 * them (test/start-memory.test.ts).
 */
const require = createRequire(import.meta.url);

// As the entry does it: only this gives connections their `request`.
Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'));

/** A connection to one origin. */
export const Client: typeof undici.Client = require('undici/lib/dispatcher/client.js');

/** Makes a function for opening sockets, which reuses TLS sessions. */
export const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js');

/** What connections fail with. */
export const errors: typeof undici.errors = require('undici/lib/core/errors.js');

/** Sends a request by the global dispatcher, and so through the proxies of this process. */
export const request: typeof undici.request = async (...args) => (await import('undici')).request(...args);

/** Unpacks compressed answers; loaded when the first one comes. */
export function decompress(
  ...args: Parameters<typeof undici.interceptors.decompress>
): ReturnType<typeof undici.interceptors.decompress> {
  const interceptor: typeof undici.interceptors.decompress = require('undici/lib/interceptor/decompress.js');
  return interceptor(...args);
}
