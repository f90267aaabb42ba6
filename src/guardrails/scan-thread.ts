import { parentPort } from 'node:worker_threads';
import type { ScanJob } from './content-scanner.ts';
import { scanTexts } from './scan-texts.ts';

/* Entry of the thread that scans long texts. */

const port = parentPort;
if (port === null) throw new Error('The scan thread must be started as a worker.');

port.on('message', ({ texts, rules }: ScanJob) => port.postMessage(scanTexts(texts, rules)));
