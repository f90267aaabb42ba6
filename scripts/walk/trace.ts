/**
 * Loaded into a gateway before its own code (`node --import`), it writes down every function of `src/` that is entered:
 * one line an entry, `milliseconds file line:column name`, in a file of its own for each thread in the folder WALK_FOLDER.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { instrument } from './instrument.ts';

const root = process.env.WALK_ROOT ?? process.cwd();
const folder = process.env.WALK_FOLDER;
/** Milliseconds between two writes of what was entered. */
const pause = 20;

if (folder !== undefined) trace(join(folder, `${process.pid}-${threadId}.txt`));

function trace(file: string): void {
  let lines: string[] = [];
  const write = () => {
    appendFileSync(file, lines.join(''));
    lines = [];
  };
  Object.assign(globalThis, {
    walkedInto: (place: string) => {
      // An unreferenced timer, so that the thread ends as it would without it.
      if (lines.length === 0) setTimeout(write, pause).unref();
      lines.push(`${performance.timeOrigin + performance.now()} ${place}\n`);
    },
  });
  registerHooks({
    load: (url, context, next) => {
      const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (!path.startsWith('src/') || !path.endsWith('.ts')) return next(url, context);
      const { source } = next(url, { ...context, format: 'module-typescript' });
      return { format: 'module', source: instrument(path, String(source)), shortCircuit: true };
    },
  });
}
