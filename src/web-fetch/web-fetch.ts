import { HeadgateError } from '../core/errors.ts';
import { isPdf } from '../documents/document-type.ts';
import type { ReadPdf } from '../documents/pdf-reader.ts';
import { EgressFailure, type EgressReason } from '../egress/egress-failure.ts';
import type { EgressAnswer, EgressGuard } from '../egress/egress-guard.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { isolatedTask } from '../isolation/isolated-task.ts';
import { inDomains } from '../web-search/domains.ts';
import { decodeBody, headOf } from './decode-body.ts';
import type { PageJob, ReadPage } from './read-page.ts';

/** A page to fetch. */
export interface FetchRequest {
  readonly url: string;
  /** Where it may be; anywhere without an entry. */
  readonly allowedDomains: readonly string[];
  /** They win over what is allowed. */
  readonly blockedDomains: readonly string[];
  /** Characters of the text; what is longer is cut there, with a mark. */
  readonly maxCharacters: number;
  /** The account that asks: accounts take turns where pages are read. */
  readonly owner: string;
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
/** Milliseconds that reading a page may take. */
const pageTime = 15_000;
const pageTask = isolatedTask<PageJob, ReadPage & { readonly isCut: boolean }>(
  import.meta.url,
  './read-page',
  'readPage',
);

type Asker = Pick<FetchRequest, 'owner' | 'signal'>;
const accepted = 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5';

/** Fetches pages of the web through the egress guard and reads them as text (docs/spec/server-tools.md#web-fetch). */
export class WebFetch {
  readonly #guard: EgressGuard;
  readonly #processes: Pick<IsolatedProcesses, 'run'>;
  readonly #readPdf: ReadPdf;

  /** @param processes Where pages are read. */
  constructor(guard: EgressGuard, processes: Pick<IsolatedProcesses, 'run'>, readPdf: ReadPdf) {
    this.#guard = guard;
    this.#processes = processes;
    this.#readPdf = readPdf;
  }

  /** @throws FetchFailure when the page was refused, cannot be reached or is no text. */
  async fetch({
    url,
    allowedDomains,
    blockedDomains,
    maxCharacters,
    owner,
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
    const { title, content } = await this.#read(answer, { owner, signal });
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

  async #read({ body, headers, url }: EgressAnswer, asker: Asker): Promise<ReadPage> {
    const type = (headers['content-type'] ?? '').toLowerCase();
    if (isPdf(body)) return { title: '', content: await this.#readPdfOf(body, asker) };
    const charset = /charset="?([^\s";]+)/.exec(type)?.[1];
    if (/html/.test(type) || (type === '' && /^\s*<(!doctype|html)/i.test(headOf(body))))
      return this.#readPage({ body, charset, url }, asker);
    const isText = type === '' || /^text\/|[/+](json|xml)\b|javascript|yaml/.test(type);
    if (isText && !headOf(body).includes('\0')) return { title: '', content: decodeBody(body, charset) };
    throw new FetchFailure(
      'unsupported',
      `The address is no page of text (${type.split(';')[0] || 'unknown type'}).`,
    );
  }

  async #readPage(page: PageJob, asker: Asker): Promise<ReadPage> {
    const run = { ...asker, time: pageTime, bytes: page.body.length };
    const outcome = await this.#processes.run(pageTask, page, run);
    asker.signal.throwIfAborted();
    if ('result' in outcome) {
      const { title, content, isCut } = outcome.result;
      return { title, content: isCut ? content + cutMark : content };
    }
    if (outcome.problem === 'busy')
      throw new HeadgateError('service_unavailable', 'Too many pages are being read.', { retryAfter: 1 });
    throw new FetchFailure('unsupported', 'The page could not be read.');
  }

  async #readPdfOf(bytes: Uint8Array, asker: Asker): Promise<string> {
    const read = await this.#readPdf({ bytes, maxPages: mostPages, cuts: true }, asker);
    asker.signal.throwIfAborted();
    if ('problem' in read) {
      const why = read.problem === 'encrypted' ? 'is encrypted' : 'cannot be read';
      throw new FetchFailure('unsupported', `The PDF at the address ${why}.`);
    }
    const text = read.pages.join('\n\n');
    return read.total > mostPages ? text + cutMark : text;
  }
}
