import { isObject, parseJson } from '../util/json.ts';
import { request } from '../util/undici.ts';

/** The service that recognises names and addresses (docs/spec/guardrails.md#names-and-addresses). */
export interface AnalyzerSettings {
  /** `POST {baseUrl}/analyze`. */
  readonly baseUrl: string;
  /** Milliseconds that the texts of a request may take. */
  readonly timeout: number;
  /** What happens to a request it cannot read; undefined refuses where a filter blocks. */
  readonly onFailure?: 'allow' | 'refuse' | undefined;
  /** Two letters. */
  readonly language: string;
  /** How sure it has to be, 0 to 1. */
  readonly scoreThreshold: number;
}

/** Something it recognised; `start` and `end` are UTF-16 units. */
export interface Entity {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Bytes of an answer at most. */
const mostBytes = 4 * 1024 * 1024;

/**
 * What the service recognises in a text.
 * @throws Error when it does not answer, or not as it should; its message has nothing of the text.
 */
export async function askAnalyzer(
  { baseUrl, language, scoreThreshold, timeout }: AnalyzerSettings,
  text: string,
  entities: readonly string[],
  signal: AbortSignal,
): Promise<readonly Entity[]> {
  const response = await request(`${baseUrl}/analyze`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ text, language, entities, score_threshold: scoreThreshold }),
    signal,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('The analyzer sent too much.');
    chunks.push(chunk);
  }
  if (response.statusCode !== 200)
    throw new Error(`The analyzer answered with status ${response.statusCode}.`);
  const found = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!Array.isArray(found)) throw new Error('The analyzer did not answer with a list.');
  const unitOf = unitsOf(text);
  return found.map((one: unknown): Entity => {
    const { entity_type: type, start, end } = isObject(one) ? one : {};
    const isSpan =
      typeof type === 'string' && Number.isSafeInteger(start) && Number.isSafeInteger(end) && isObject(one);
    if (!isSpan) throw new Error('The analyzer named something without type, start and end.');
    return { type, start: unitOf(Number(start)), end: unitOf(Number(end)) };
  });
}

/** The service counts characters as code points, and texts here count UTF-16 units. */
function unitsOf(text: string): (point: number) => number {
  const isPlain = !/[\ud800-\udbff]/.test(text);
  if (isPlain) return (point) => Math.min(Math.max(point, 0), text.length);
  const units: number[] = [];
  let at = 0;
  for (const character of text) {
    units.push(at);
    at += character.length;
  }
  return (point) => units[Math.max(point, 0)] ?? text.length;
}
