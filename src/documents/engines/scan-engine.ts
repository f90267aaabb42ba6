import { request } from 'undici';
import { parseUsd } from '../../core/money.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';
import { type OcrDocument, type OcrEngine, OcrFailure, type OcrPage, type OcrText } from '../ocr-engine.ts';

/** What an operator says of the engine. */
export interface ScanEngineSettings {
  readonly apiKey: Secret;
  readonly baseUrl?: string;
  /** Milliseconds that a document may take. */
  readonly timeout: number;
}

const usualBaseUrl = 'https://api.mistral.ai';
/** Pictures of a document that are asked for. */
const mostImages = 8;
const mostBytes = 64 * 1024 * 1024;
/** Statuses that say something of the document. */
const ofDocument: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Mistral OCR: `POST /v1/ocr`. 2 USD for a thousand pages. */
export function scanEngine({ apiKey, baseUrl = usualBaseUrl, timeout }: ScanEngineSettings): OcrEngine {
  return {
    name: 'mistral-ocr',
    pricePerPage: parseUsd(0.002),
    mostPages: 1_000,
    async read(document, signal) {
      const limit = AbortSignal.timeout(timeout);
      try {
        return await ask(document, `${baseUrl}/v1/ocr`, apiKey, AbortSignal.any([signal, limit]), timeout);
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof OcrFailure) throw thrown;
        throw new OcrFailure('engine', limit.aborted ? 'did not answer in time' : 'could not be reached');
      }
    },
  };
}

async function ask(
  { url, name }: OcrDocument,
  address: string,
  apiKey: Secret,
  signal: AbortSignal,
  timeout: number,
): Promise<OcrText> {
  const response = await request(address, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey.reveal()}`,
    },
    body: JSON.stringify({
      model: 'mistral-ocr-latest',
      document: { type: 'document_url', document_url: url, document_name: name },
      include_image_base64: true,
      image_limit: mostImages,
    }),
    signal,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const text = await readText(response.body);
  const { statusCode: status } = response;
  if (status !== 200)
    throw new OcrFailure(ofDocument.has(status) ? 'document' : 'engine', `answered with status ${status}`);
  return readAnswer(text);
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) throw new OcrFailure('engine', 'sent too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(text: string): OcrText {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    answer = undefined;
  }
  if (!isObject(answer) || !Array.isArray(answer.pages))
    throw new OcrFailure('engine', 'sent something that is no result');
  const pages = answer.pages
    .filter(isObject)
    .toSorted((one, other) => Number(one.index) - Number(other.index))
    .map(readPage);
  const usage = isObject(answer.usage_info) ? answer.usage_info.pages_processed : undefined;
  const isCount = typeof usage === 'number' && Number.isInteger(usage) && usage >= 0;
  return { pages, billedPages: isCount ? usage : pages.length };
}

function readPage({ markdown, images }: JsonObject): OcrPage {
  const found = Array.isArray(images) ? images.filter(isObject) : [];
  return {
    text: typeof markdown === 'string' ? markdown : '',
    images: found.flatMap(({ image_base64: image }) => toDataUrl(image) ?? []),
  };
}

function toDataUrl(image: unknown): string | undefined {
  if (typeof image !== 'string' || image === '') return undefined;
  if (/^data:image\/(png|jpeg|webp|gif);base64,/i.test(image)) return image;
  return image.startsWith('data:') ? undefined : `data:image/jpeg;base64,${image}`;
}
