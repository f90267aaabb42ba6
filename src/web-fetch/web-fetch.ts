import { HeadgateError } from '../core/errors.ts';
import { documentTypeOf } from '../documents/document-type.ts';
import type { PdfReader } from '../documents/pdf-reader.ts';
import { EgressFailure, type EgressReason } from '../egress/egress-failure.ts';
import type { EgressAnswer, EgressGuard } from '../egress/egress-guard.ts';
import { inDomains } from '../web-search/domains.ts';
import type { PageReader } from './page-reader.ts';

/** A page to fetch. */
export interface FetchRequest {
  readonly url: string;
  /** Where it may be; anywhere without an entry. */
  readonly allowedDomains: readonly string[];
  /** They win over what is allowed. */
  readonly blockedDomains: readonly string[];
  /** Characters of the text; what is longer is cut there, with a mark. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

/** A page that was fetched. */
export interface FetchedPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly status: number;
}

/** Why a page was not fetched. */
export type FetchReason = EgressReason | 'status' | 'not_allowed';

/** A page that was not fetched. Its message is for the model. */
export class FetchFailure extends HeadgateError {
  readonly reason: FetchReason;
  /** The status the page answered with, where it did. */
  readonly httpStatus: number | undefined;

  constructor(reason: FetchReason, message: string, httpStatus?: number) {
    super('invalid_request', message);
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}

const cutMark = '\n\n[The page is longer; the rest was left out.]';
/** Of a PDF. What is longer is cut. */
const mostPages = 200;
const mostPdfBytes = 25 * 1024 * 1024;
const accepted = 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5';

/** Fetches pages of the web through the egress guard and reads them as text (docs/spec/server-tools.md#web-fetch). */
export class WebFetch {
  readonly #guard: EgressGuard;
  readonly #reader: PageReader;
  readonly #pdfs: PdfReader;

  constructor(guard: EgressGuard, reader: PageReader, pdfs: PdfReader) {
    this.#guard = guard;
    this.#reader = reader;
    this.#pdfs = pdfs;
  }

  /** @throws FetchFailure when the page was refused, cannot be reached or is no text. */
  async fetch({
    url,
    allowedDomains,
    blockedDomains,
    maxCharacters,
    signal,
  }: FetchRequest): Promise<FetchedPage> {
    const checkHop = ({ href }: URL) => {
      const isAllowed = allowedDomains.length === 0 || inDomains(href, allowedDomains);
      if (isAllowed && !inDomains(href, blockedDomains)) return;
      throw new FetchFailure('not_allowed', 'The domain of the page is not allowed in this request.');
    };
    const answer = await this.#send({ url, signal, checkHop });
    const { status } = answer;
    if (status < 200 || status > 299)
      throw new FetchFailure('status', `The page answered with status ${status}.`, status);
    const { title, content } = await this.#read(answer);
    const text = content.length <= maxCharacters ? content : content.slice(0, maxCharacters) + cutMark;
    return { url: answer.url, title, content: text, status };
  }

  async #send(request: Parameters<EgressGuard['send']>[0]): Promise<EgressAnswer> {
    try {
      return await this.#guard.send({
        ...request,
        headers: { accept: accepted, 'user-agent': 'headgate' },
        maxBodyOf: (type) => (type.startsWith('application/pdf') ? mostPdfBytes : undefined),
      });
    } catch (thrown) {
      if (thrown instanceof EgressFailure) throw new FetchFailure(thrown.reason, thrown.message);
      throw thrown;
    }
  }

  async #read({
    body,
    headers,
    url,
  }: EgressAnswer): Promise<{ readonly title: string; readonly content: string }> {
    const type = (headers['content-type'] ?? '').toLowerCase();
    if (documentTypeOf(body) === 'pdf') return { title: '', content: await this.#readPdf(body) };
    const text = decode(body, /charset="?([^\s";]+)/.exec(type)?.[1]);
    if (/html/.test(type) || (type === '' && /^\s*<(!doctype|html)/i.test(text)))
      return this.#reader.read(text, url);
    const isText = type === '' || /^text\/|[/+](json|xml)\b|javascript|yaml/.test(type);
    if (isText && !text.slice(0, 1024).includes('\0')) return { title: '', content: text };
    throw new FetchFailure(
      'unsupported',
      `The address is no page of text (${type.split(';')[0] || 'unknown type'}).`,
    );
  }

  async #readPdf(bytes: Uint8Array): Promise<string> {
    const read = await this.#pdfs.read({ bytes, maxPages: mostPages, cuts: true });
    if ('problem' in read) {
      const why = read.problem === 'encrypted' ? 'is encrypted' : 'cannot be read';
      throw new FetchFailure('unsupported', `The PDF at the address ${why}.`);
    }
    const text = read.pages.join('\n\n');
    return read.total > mostPages ? text + cutMark : text;
  }
}

/** The text of a body in the coding that its header or the page itself names; UTF-8 otherwise. */
function decode(body: Uint8Array, named: string | undefined): string {
  const head = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  const label = named ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
