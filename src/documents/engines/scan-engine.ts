import { parseUsd } from '../../core/money.ts';
import type { IsolatedProcesses } from '../../isolation/isolated-processes.ts';
import { isolatedTask } from '../../isolation/isolated-task.ts';
import type { Secret } from '../../util/secret.ts';
import { request } from '../../util/undici.ts';
import { type OcrDocument, type OcrEngine, OcrFailure, type OcrText } from '../ocr-engine.ts';
import { mostImages } from './read-scan-answer.ts';

/** What an operator says of the engine. */
export interface ScanEngineSettings {
  readonly apiKey: Secret;
  readonly baseUrl?: string;
  /** Milliseconds that a document may take. */
  readonly timeout: number;
}

const usualBaseUrl = 'https://api.mistral.ai';
const mostBytes = 64 * 1024 * 1024;
/** Statuses that say something of the document. */
const ofDocument: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Milliseconds that reading an answer may take; it has at most so many bytes. */
const answerTime = 10_000;
const task = isolatedTask<Uint8Array, OcrText | undefined>(
  import.meta.url,
  './read-scan-answer',
  'readScanAnswer',
);

/**
 * Mistral OCR: `POST /v1/ocr`. 2 USD for a thousand pages.
 * @param processes Where answers are read: they hold what strangers' documents say.
 */
export function scanEngine(
  settings: ScanEngineSettings,
  processes: Pick<IsolatedProcesses, 'run'>,
): OcrEngine {
  return {
    name: 'mistral-ocr',
    pricePerPage: parseUsd(0.002),
    mostPages: 1_000,
    async read(document, { owner, signal }) {
      const limit = AbortSignal.timeout(settings.timeout);
      try {
        const body = await ask(document, settings, AbortSignal.any([signal, limit]));
        const run = { time: answerTime, owner, bytes: body.length, signal };
        const outcome = await processes.run(task, body, run);
        if ('result' in outcome && outcome.result !== undefined) return outcome.result;
        throw new OcrFailure('engine', 'sent something that is no result');
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
  { apiKey, baseUrl = usualBaseUrl, timeout }: ScanEngineSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await request(`${baseUrl}/v1/ocr`, {
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
  const body = await readBody(response.body);
  const { statusCode: status } = response;
  if (status === 200) return body;
  throw new OcrFailure(ofDocument.has(status) ? 'document' : 'engine', `answered with status ${status}`);
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) throw new OcrFailure('engine', 'sent too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
