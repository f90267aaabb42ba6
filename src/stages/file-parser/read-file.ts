import { HeadgateError } from '../../core/errors.ts';
import { decodeText, documentTypeOf } from '../../documents/document-type.ts';
import { type OcrEngine, OcrFailure, type OcrText } from '../../documents/ocr-engine.ts';
import type { ReadPdf } from '../../documents/pdf-reader.ts';
import type { PdfProblem } from '../../documents/read-pdf.ts';
import type { EgressGuard } from '../../egress/egress-guard.ts';
import type { Slots } from '../../waiting/slots.ts';
import type { StageContext } from '../stage.ts';
import { badFile } from './file-source.ts';

/** Bounds of files (`plugins.file_parser.limits`). */
export interface FileLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** Of a PDF that the gateway reads itself. */
  readonly pages: number;
  /** Milliseconds that reading one itself may take. */
  readonly timeout: number;
}

/** What files are read with. */
export interface FileParserServices {
  readonly readPdf: ReadPdf;
  readonly guard: EgressGuard;
  /** The engine for scans; undefined without a credential for it. */
  readonly ocr: () => OcrEngine | undefined;
  readonly limits: () => FileLimits;
  /** Of files that are fetched or sent to the engine at the same time, because each is in memory meanwhile. */
  readonly slots: Slots;
}

/** Pages of a file; `images` are data URLs. */
export interface ReadFile {
  readonly pages: readonly { readonly text: string; readonly images: readonly string[] }[];
  /** Pages that the engine charges for. */
  readonly billedPages: number;
}

/** The engine that is part of the gateway. */
export const localEngine = 'cloudflare-ai';

/** Fetches a file through the egress guard. @throws HeadgateError `invalid_request` when it cannot be had. */
export async function download(
  url: string,
  name: string,
  { guard, limits, slots }: FileParserServices,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let answer: Awaited<ReturnType<EgressGuard['send']>> | undefined;
  try {
    const request = { url, signal, maxBody: limits().file, headers: { 'user-agent': 'headgate' } };
    answer = await slots.run(() => guard.send(request), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HeadgateError) throw badFile(name, `was not fetched: ${thrown.message}`);
    throw thrown;
  }
  if (answer === undefined) throw tooMany();
  if (answer.status < 200 || answer.status > 299)
    throw badFile(name, `was not fetched: its address answered with status ${answer.status}`);
  return answer.body;
}

/** The text of a file that is text; undefined for a PDF. @throws HeadgateError `invalid_request` for other kinds. */
export function textOf(bytes: Uint8Array, name: string): string | undefined {
  const type = documentTypeOf(bytes);
  if (type === 'pdf') return undefined;
  const text = type === 'text' ? decodeText(bytes) : undefined;
  if (text !== undefined) return text;
  throw badFile(name, 'is neither a PDF nor text, and the model reads no files; convert it to one of them');
}

/** Reads a PDF in a child process. @throws HeadgateError when it cannot be read. */
export async function readLocally(
  bytes: Uint8Array,
  name: string,
  { readPdf, limits }: FileParserServices,
  { accountId: owner, signal }: Pick<StageContext, 'accountId' | 'signal'>,
): Promise<ReadFile> {
  const { pages: maxPages, timeout: time } = limits();
  const outcome = await readPdf({ bytes, maxPages, cuts: false }, { time, owner, signal });
  signal.throwIfAborted();
  if ('problem' in outcome) throw refusalOf(outcome.problem, name, maxPages, outcome.total);
  return { pages: outcome.pages.map((text) => ({ text, images: [] })), billedPages: 0 };
}

function refusalOf(problem: PdfProblem, name: string, maxPages: number, total = 0): HeadgateError {
  switch (problem) {
    case 'encrypted':
      return badFile(name, 'is encrypted; send it without a password');
    case 'broken':
      return badFile(name, 'is a broken PDF; make it anew');
    case 'too_many_pages':
      return badFile(name, `has ${total} pages, at most ${maxPages} are read; send a part of it`);
    case 'too_large':
      return badFile(name, 'takes too much memory to read; send a part of it');
    case 'too_slow':
      return badFile(name, 'takes too long to read; send a part of it');
    case 'busy':
      return tooMany();
  }
}

function tooMany(): HeadgateError {
  return new HeadgateError('service_unavailable', 'Too many files are being read.', { retryAfter: 1 });
}

/** Has an engine read a file. @throws OcrFailure. */
export async function readByEngine(
  engine: OcrEngine,
  document: { readonly url: string } | { readonly bytes: Uint8Array },
  name: string,
  { slots }: FileParserServices,
  { accountId: owner, signal }: Pick<StageContext, 'accountId' | 'signal'>,
): Promise<OcrText> {
  const work = () => {
    const url =
      'url' in document
        ? document.url
        : `data:application/pdf;base64,${Buffer.from(document.bytes).toString('base64')}`;
    return engine.read({ url, name }, { owner, signal });
  };
  const read = await slots.run(work, signal);
  if (read === undefined) throw new OcrFailure('engine', 'has too many documents to read');
  return read;
}

/** What a failure of an engine that the request names is for its client. */
export function engineRefusal(thrown: unknown, name: string): unknown {
  if (!(thrown instanceof OcrFailure)) return thrown;
  if (thrown.fault === 'document')
    return badFile(name, `could not be read: the OCR engine ${thrown.message}`);
  return new HeadgateError('provider_failed', `The OCR engine ${thrown.message}.`);
}
