import { request } from 'undici';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';

/** The service that judges what is sent to models. */
export interface ModerationBackend {
  /** `POST {baseUrl}/moderations`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly model: string;
  /** Whether it judges pictures. */
  readonly images: boolean;
  /** Milliseconds that judging a request may take. */
  readonly timeout: number;
  /** What happens to a request that it cannot judge. */
  readonly onFailure: 'allow' | 'refuse';
}

/** What the service is asked about. */
export interface Judged {
  /** In pieces. */
  readonly texts: readonly string[];
  /** Addresses of pictures, mostly data URLs. */
  readonly images: readonly string[];
}

/** What the service said. */
export interface Judgement {
  readonly flagged: boolean;
  /** Names of the categories it flagged. */
  readonly reasons: readonly string[];
  /** The first text it flagged; of a picture its place among the pictures. */
  readonly text?: string;
  /** How sure it is, 0 to 1: of what it flagged or, where that is nothing, of the worst category. */
  readonly score: number;
}

/** Texts of one question. */
const mostTexts = 16;
/** Pictures that are asked about at the same time, and of one request. */
const mostImages = { atOnce: 4, ofRequest: 64 };
const mostBytes = 4 * 1024 * 1024;

/** Asks the service about texts and pictures. @throws Error when it cannot tell; its message is for logs alone. */
export async function askModeration(
  backend: ModerationBackend,
  { texts, images }: Judged,
  signal: AbortSignal,
): Promise<Judgement> {
  if (images.length > mostImages.ofRequest) throw new Error('There are more pictures than are judged.');
  const until = AbortSignal.any([signal, AbortSignal.timeout(backend.timeout)]);
  let score = 0;
  for (let at = 0; at < texts.length; at += mostTexts) {
    const asked = texts.slice(at, at + mostTexts);
    // Some services know one text only.
    const results = await ask(backend, asked.length === 1 ? asked[0] : asked, asked.length, until);
    for (const [index, result] of results.entries()) {
      const judged = read(result, asked[index] ?? '');
      if (judged.flagged) return judged;
      score = Math.max(score, judged.score);
    }
  }
  for (let at = 0; at < images.length; at += mostImages.atOnce) {
    const asked = images.slice(at, at + mostImages.atOnce);
    const judged = await Promise.all(asked.map((url, index) => askOfImage(backend, url, at + index, until)));
    const flagged = judged.find((one) => one.flagged);
    if (flagged !== undefined) return flagged;
    score = Math.max(score, ...judged.map((one) => one.score));
  }
  return { flagged: false, reasons: [], score };
}

/** One a question, because services that judge pictures take no more. */
async function askOfImage(
  backend: ModerationBackend,
  url: string,
  place: number,
  signal: AbortSignal,
): Promise<Judgement> {
  const input = [{ type: 'image_url', image_url: { url } }];
  const [result = {}] = await ask(backend, input, 1, signal);
  return read(result, `[image ${place + 1}]`);
}

async function ask(
  { baseUrl, apiKey, model, timeout }: ModerationBackend,
  input: unknown,
  count: number,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const response = await request(`${baseUrl}/moderations`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey.reveal()}` }),
    },
    body: JSON.stringify({ model, input }),
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
  if (results.length !== count) throw new Error('It judged another number of texts than were sent.');
  return results;
}

function read({ flagged, categories, category_scores: scores }: JsonObject, text: string): Judgement {
  if (typeof flagged !== 'boolean') throw new Error('It did not say whether something is flagged.');
  const reasons = isObject(categories)
    ? Object.keys(categories).filter((name) => categories[name] === true)
    : [];
  const known = isObject(scores) ? scores : {};
  const counted = (flagged ? reasons : Object.keys(known)).map((name) => Number(known[name]));
  const score = Math.max(0, ...counted.filter((one) => Number.isFinite(one)));
  return flagged ? { flagged, reasons, text, score } : { flagged, reasons: [], score };
}
