import { parentPort } from 'node:worker_threads';
import { fitsSchema } from './fits-schema.ts';
import type { SchemaCheck } from './judge-calls.ts';

/*
 * Entry of the thread that checks arguments against schemas. Both are strangers' words: a pattern or a knot of
 * references can take for ever, and only a thread can be stopped.
 */

const port = parentPort;
if (port === null) throw new Error('The schema thread must be started as a worker.');

// Reports that it is ready: the time that the start takes must not count for the first job.
port.postMessage('ready');
port.on('message', (checks: readonly SchemaCheck[]) => port.postMessage(checks.every(fitsSchema)));
