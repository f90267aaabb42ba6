import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Instruction, Stage } from './dockerfile.ts';
import { FileSystem } from './file-system.ts';

/** Where a build takes its files from and puts its results. */
export interface BuildOptions {
  /** The folder of the Dockerfile. */
  readonly context: string;
  /** An empty folder for everything that the build creates. */
  readonly folder: string;
  /** The base of the last stage; the others are based on this machine's own file system. */
  readonly base: string;
  readonly log: (line: string) => void;
}

/**
 * Runs the stages of a Dockerfile, each in a separate file system, and returns the last one.
 * @throws Error for an unsupported instruction, or one that fails.
 */
export function buildImage(
  stages: readonly Stage[],
  { context, folder, base, log }: BuildOptions,
): FileSystem {
  const built = new Map<string, FileSystem>();
  let image: FileSystem | undefined;
  for (const [index, { name = `stage-${index}`, instructions }] of stages.entries()) {
    image = new FileSystem(join(folder, name), index === stages.length - 1 ? base : '/');
    let directory = '/';
    for (const instruction of instructions) {
      log(`[${name}] ${instruction.word} ${instruction.text.slice(0, 100)}`);
      if (instruction.word === 'WORKDIR') directory = instruction.text;
      follow(instruction, { context, directory, built, system: image });
    }
    built.set(name, image);
  }
  if (image === undefined) throw new Error('there is no stage');
  return image;
}

/** Instructions that only describe how to run the image. */
const settings: ReadonlySet<string> = new Set([
  'ARG',
  'CMD',
  'ENTRYPOINT',
  'ENV',
  'EXPOSE',
  'HEALTHCHECK',
  'USER',
  'VOLUME',
]);

interface Surroundings {
  readonly context: string;
  readonly directory: string;
  readonly built: ReadonlyMap<string, FileSystem>;
  readonly system: FileSystem;
}

function follow({ word, text }: Instruction, surroundings: Surroundings): void {
  const { system, directory } = surroundings;
  if (word === 'WORKDIR') mkdirSync(join(system.changes, directory), { recursive: true });
  else if (word === 'COPY') copy(text, surroundings);
  else if (word === 'RUN') {
    system.run(['sh', '-c', text], { directory, environment: { ...process.env, HOME: '/root' } });
  } else if (!settings.has(word)) throw new Error(`what "${word}" does is not known here`);
}

function copy(text: string, { context, directory, built, system }: Surroundings): void {
  const [, stage, rest = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  const words = rest.split(/\s+/);
  const target = words.pop() ?? '';
  const place = join(system.changes, isAbsolute(target) ? target : join(directory, target));
  const from = stage === undefined ? context : built.get(stage)?.changes;
  if (from === undefined) throw new Error(`there is no stage "${stage}"`);
  for (const source of words) {
    if (stage === undefined) requireAllowed(source, context);
    const destination = target.endsWith('/') ? join(place, basename(source)) : place;
    mkdirSync(dirname(destination), { recursive: true });
    // Files that .dockerignore excludes from included folders.
    cpSync(join(from, source), destination, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => stage !== undefined || !file.endsWith('.test.ts'),
    });
  }
}

function requireAllowed(source: string, context: string): void {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n');
  if (!lines.includes(`!${source}`)) throw new Error(`.dockerignore keeps "${source}" from the build`);
}
