import { createRequire } from 'node:module';
import type undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * undici's connection to one origin. Imported from its own file: the package's entry also loads fetch, caches,
 * WebSockets and mocks, which cost 15 MB of memory and a tenth of a second of start-up for nothing.
 */
export const Client: typeof undici.Client = require('undici/lib/dispatcher/client.js');

/** undici's function for opening sockets, which reuses TLS sessions. */
export const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js');
