import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the analyzer was asked. */
export interface AnalyzerQuestion {
  readonly text: string;
  readonly language: string;
  readonly entities: readonly string[];
  readonly score_threshold: number;
}

/** A service with the wire format of a Presidio analyzer that recognises a few names and places. */
export interface ScriptedAnalyzer {
  readonly url: string;
  readonly asked: readonly AnalyzerQuestion[];
  /** What it does from now on. */
  behave(mode: 'well' | 'hang' | 'fail' | 'nonsense'): void;
  close(): Promise<void>;
}

const known = [
  { word: 'Jane Doe', entity_type: 'PERSON' },
  { word: 'Zoë 👩‍🚀 Ortiz', entity_type: 'PERSON' },
  { word: 'Springfield', entity_type: 'LOCATION' },
];

/** Starts one on a free port. */
export async function startAnalyzer(): Promise<ScriptedAnalyzer> {
  const asked: AnalyzerQuestion[] = [];
  let mode: Parameters<ScriptedAnalyzer['behave']>[0] = 'well';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (mode === 'hang') return;
      const question = JSON.parse(Buffer.concat(chunks).toString()) as AnalyzerQuestion;
      asked.push(question);
      response.writeHead(mode === 'fail' ? 500 : 200, { 'content-type': 'application/json' });
      response.end(mode === 'nonsense' ? '[{"entity_type": "PERSON"}]' : JSON.stringify(recognise(question)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    behave: (next) => {
      mode = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As the real one does, it counts code points. */
function recognise({ text, entities }: AnalyzerQuestion) {
  return known.flatMap(({ word, entity_type }) => {
    const at = text.indexOf(word);
    if (at < 0 || !entities.includes(entity_type)) return [];
    const start = [...text.slice(0, at)].length;
    return [{ entity_type, start, end: start + [...word].length, score: 0.85 }];
  });
}
