import { createRequire } from 'node:module';
import type undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * undici's connection to one origin. Taken from its own file: the package's entry also loads fetch, caches,
 * WebSockets and mocks, 15 MB of memory and a tenth of a second of start-up nobody here uses.
 */
export const Client: typeof undici.Client = require('undici/lib/dispatcher/client.js');

/** undici's way to open sockets, with TLS sessions kept for the next one. */
export const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js');
