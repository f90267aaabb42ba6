import { createHash } from 'node:crypto';
import { findMutations, type Mutation } from './find-mutations.ts';

/** One change to try. */
export interface Trial {
  readonly file: string;
  readonly mutation: Mutation;
  /** The same as long as the line is, wherever it moves within the file. */
  readonly id: string;
  /** File, line and change, for people. */
  readonly words: string;
}

/** The changes of one file. */
export function trialsOf(file: string, source: string): readonly Trial[] {
  const seen = new Map<string, number>();
  return findMutations(source).map((mutation) => {
    const { start, end, replacement } = mutation;
    const lineStart = source.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = source.indexOf('\n', start);
    const line = source.slice(lineStart, lineEnd === -1 ? source.length : lineEnd);
    const change = [
      file,
      line.trim(),
      line.trimStart().length - line.length + start - lineStart,
      replacement,
    ];
    const text = change.join('\n');
    const before = seen.get(text) ?? 0;
    seen.set(text, before + 1);
    return {
      file,
      mutation,
      id: hash(`${text}\n${before}`).slice(0, 16),
      words:
        `${file}:${source.slice(0, start).split('\n').length}: ` +
        `${short(source.slice(start, end))} -> ${short(replacement) || '(nothing)'}`,
    };
  });
}

/** So many of all, drawn by the seed. What changes elsewhere in the code does not change which ones. */
export function draw(trials: readonly Trial[], count: number, seed: string): readonly Trial[] {
  return trials
    .map((trial) => ({ trial, key: hash(`${seed} ${trial.id}`) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ trial }) => trial);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function short(text: string): string {
  return (text.length > 60 ? `${text.slice(0, 57)}...` : text).replaceAll('\n', ' ');
}
