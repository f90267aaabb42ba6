import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile: its keyword and the rest of its text, lines joined. */
export interface Instruction {
  readonly word: string;
  readonly text: string;
}

/** A stage of a build: its name, if it has one, and its instructions. */
export interface Stage {
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads the stages of a Dockerfile. Instructions before the first stage only name base images. */
export function readDockerfile(path: string): readonly Stage[] {
  const text = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n/g, ' ');
  const stages: { name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of text.split('\n')) {
    const [, word, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (word === undefined) continue;
    if (word === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1], instructions: [] });
    else stages.at(-1)?.instructions.push({ word, text: rest.trim() });
  }
  return stages;
}

/** The settings of an image that describe how to run its program. */
export interface ImageSettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly user: number;
  readonly directory: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Reads them from the instructions of the last stage. */
export function imageSettings({ instructions }: Stage): ImageSettings {
  const last = (word: string) => instructions.findLast((one) => one.word === word)?.text ?? '';
  const pairs = instructions.filter(({ word }) => word === 'ENV').flatMap(({ text }) => text.split(/\s+/));
  return {
    environment: Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    user: Number(last('USER').split(':')[0]),
    directory: last('WORKDIR'),
    entrypoint: JSON.parse(last('ENTRYPOINT')) as string[],
    command: JSON.parse(last('CMD')) as string[],
    healthCheck: JSON.parse(/CMD (\[.*\])$/.exec(last('HEALTHCHECK'))?.[1] ?? '[]') as string[],
  };
}
