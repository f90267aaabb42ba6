import { request } from 'undici';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';

/** The service that judges what is sent to models. */
export interface ModerationBackend {
  /** `POST {baseUrl}/moderations`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly model: string;
  /** Milliseconds that judging a request may take. */
  readonly timeout: number;
  /** What happens to a request that it cannot judge. */
  readonly onFailure: 'allow' | 'refuse';
}

/** What the service said of some texts. */
export interface Judgement {
  readonly flagged: boolean;
  /** Names of the categories it flagged. */
  readonly reasons: readonly string[];
  /** The first text it flagged. */
  readonly text?: string;
  /** How sure it is, 0 to 1: of what it flagged or, where that is nothing, of the worst category. */
  readonly score: number;
}

/** Texts of one question. */
const mostTexts = 16;
const mostBytes = 4 * 1024 * 1024;

/** Asks the service about texts. @throws Error when it cannot tell; its message is for logs alone. */
export async function askModeration(
  backend: ModerationBackend,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Judgement> {
  const limit = AbortSignal.timeout(backend.timeout);
  let score = 0;
  for (let at = 0; at < texts.length; at += mostTexts) {
    const asked = texts.slice(at, at + mostTexts);
    const results = await ask(backend, asked, AbortSignal.any([signal, limit]));
    for (const [index, result] of results.entries()) {
      const judged = read(result, asked[index] ?? '');
      if (judged.flagged) return judged;
      score = Math.max(score, judged.score);
    }
  }
  return { flagged: false, reasons: [], score };
}

async function ask(
  { baseUrl, apiKey, model, timeout }: ModerationBackend,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const response = await request(`${baseUrl}/moderations`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey.reveal()}` }),
    },
    // Some services know one text only.
    body: JSON.stringify({ model, input: texts.length === 1 ? texts[0] : texts }),
    signal,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('The moderation service sent too much.');
    chunks.push(chunk);
  }
  if (response.statusCode !== 200) throw new Error(`It answered with status ${response.statusCode}.`);
  const answer = parseJson(Buffer.concat(chunks).toString('utf8'));
  const results = isObject(answer) && Array.isArray(answer.results) ? answer.results.filter(isObject) : [];
  if (results.length !== texts.length) throw new Error('It judged another number of texts than were sent.');
  return results;
}

function read({ flagged, categories, category_scores: scores }: JsonObject, text: string): Judgement {
  if (typeof flagged !== 'boolean') throw new Error('It did not say whether a text is flagged.');
  const reasons = isObject(categories)
    ? Object.keys(categories).filter((name) => categories[name] === true)
    : [];
  const known = isObject(scores) ? scores : {};
  const counted = (flagged ? reasons : Object.keys(known)).map((name) => Number(known[name]));
  const score = Math.max(0, ...counted.filter((one) => Number.isFinite(one)));
  return flagged ? { flagged, reasons, text, score } : { flagged, reasons: [], score };
}
