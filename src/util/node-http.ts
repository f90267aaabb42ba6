import type * as http from 'node:http';

/*
 * Values of `node:http`. An import of the module itself evaluates all of its exports, among them WebSocket, for which the runtime
 * loads its own undici: 16 MB in a process that does nothing else (test/start-memory.test.ts). Types cost nothing and come from the module.
 */
const builtin: typeof http = process.getBuiltinModule('node:http');

export const { createServer, request, ServerResponse, STATUS_CODES } = builtin;
export type ServerResponse<Request extends http.IncomingMessage = http.IncomingMessage> =
  http.ServerResponse<Request>;
