import { parentPort } from 'node:worker_threads';
import { stepBack } from '../util/step-back.ts';
import { type PdfJob, readPdf } from './read-pdf.ts';

const port = parentPort;
if (port === null) throw new Error('The PDF thread must be started as a worker.');

stepBack();

port.on('message', async (job: PdfJob) => {
  port.postMessage(await readPdf(job));
});
