import { parentPort } from 'node:worker_threads';
import { stepBack } from '../util/step-back.ts';
import { readPage } from './read-page.ts';

const port = parentPort;
if (port === null) throw new Error('The page thread must be started as a worker.');

stepBack();

port.on('message', ({ html, url }: { readonly html: string; readonly url: string }) => {
  try {
    port.postMessage(readPage(html, url));
  } catch {
    port.postMessage(undefined);
  }
});
