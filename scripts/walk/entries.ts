import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A function that was entered. */
export interface Entry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The process and the thread of it. */
  readonly thread: string;
  readonly file: string;
  /** Its line, column and name. */
  readonly place: string;
}

/** What a request went through. */
export interface Walk {
  readonly files: number;
  /** How often an entry is in another file than the one before it in its thread. */
  readonly moves: number;
  /** The same for folders of `src/`. */
  readonly folderMoves: number;
  readonly functions: number;
  /** The files, as they were entered. */
  readonly inOrder: readonly string[];
}

/** What `trace.ts` wrote to a folder, in the order of time. */
export function readEntries(folder: string): readonly Entry[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [at = '', file = '', ...place] = line.split(' ');
          return { at: Number(at), thread: name, file, place: place.join(' ') };
        }),
    )
    .sort((one, other) => one.at - other.at);
}

/** Counts what entries went through. */
export function walkOf(entries: readonly Entry[]): Walk {
  const before = new Map<string, string>();
  const files = new Set<string>();
  const functions = new Set<string>();
  let moves = 0;
  let folderMoves = 0;
  for (const { thread, file, place } of entries) {
    const last = before.get(thread);
    if (last !== undefined && last !== file) moves++;
    if (last !== undefined && folderOf(last) !== folderOf(file)) folderMoves++;
    before.set(thread, file);
    files.add(file);
    functions.add(`${file} ${place}`);
  }
  return { files: files.size, moves, folderMoves, functions: functions.size, inOrder: [...files] };
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? '';
}
