import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/**
 * Copies a process's output, complete lines at a time, so that lines of several writers never mix. An unterminated
 * last line becomes a line too.
 */
export function copyLines(source: Readable, write: (lines: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  source.on('data', (bytes: Buffer) => {
    const text = rest + decoder.write(bytes);
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(text.slice(0, end));
    rest = text.slice(end);
  });
  source.once('close', () => {
    if (rest !== '') write(`${rest}\n`);
  });
}
