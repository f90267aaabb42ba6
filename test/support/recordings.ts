import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded event stream, as its bytes came. */
export interface RecordedStream {
  readonly name: string;
  readonly stream: Buffer;
}

/** A recorded answer that was not streamed, as its bytes came. */
export interface RecordedBody {
  readonly name: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A recorded refusal: an answer that was not 2xx. */
export interface RecordedRefusal {
  readonly name: string;
  readonly status: number;
  readonly body: string;
}

/** The recordings of one folder below `test/recordings`; none when the folder is not there. */
export function readRecordings(folder: string): {
  readonly streams: readonly RecordedStream[];
  readonly bodies: readonly RecordedBody[];
  readonly refusals: readonly RecordedRefusal[];
} {
  const path = join(import.meta.dirname, '../recordings', folder);
  const files = existsSync(path) ? readdirSync(path).sort() : [];
  const withEnding = (ending: string) =>
    files
      .filter((file) => file.endsWith(ending))
      .map((file) => ({ name: file.slice(0, -ending.length), bytes: readFileSync(join(path, file)) }));
  return {
    streams: withEnding('.sse').map(({ name, bytes }) => ({ name, stream: bytes })),
    bodies: withEnding('.body.json').map(({ name, bytes }) => {
      const { headers } = JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8'));
      return { name, body: bytes, headers };
    }),
    refusals: withEnding('.error.json').map(({ name, bytes }) => {
      const { status, body } = JSON.parse(bytes.toString());
      return { name, status, body };
    }),
  };
}
