import type { ServerResponse } from 'node:http';
import { endStall, limitStall } from './limit-stall.ts';

/**
 * Resolves when the client has taken what was sent to it, or has gone.
 * @param sendTimeout Milliseconds it may take nothing.
 */
export async function drained(response: ServerResponse, sendTimeout: number): Promise<void> {
  limitStall(response, sendTimeout);
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
  endStall(response);
}
