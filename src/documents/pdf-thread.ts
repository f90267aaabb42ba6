import { parentPort } from 'node:worker_threads';
import { type PdfJob, readPdf } from './read-pdf.ts';

const port = parentPort;
if (port === null) throw new Error('The PDF thread must be started as a worker.');

port.on('message', async (job: PdfJob) => {
  port.postMessage(await readPdf(job));
});
