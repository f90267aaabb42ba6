import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EgressFailure } from '../egress/egress-failure.ts';
import type { EgressGuard, EgressStream } from '../egress/egress-guard.ts';
import { allowsTarget, type EgressSettings, egressRules } from '../egress/egress-rules.ts';
import type { DestinationTestFailure, OpenDestination } from '../ports/destinations.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import type { ProxyAddress } from '../util/proxy-address.ts';
import { Secret } from '../util/secret.ts';
import { webhookHeaders } from '../util/webhook-signature.ts';
import {
  type BodyForm,
  type ConfigTexts,
  configTexts,
  type DestinationRequest,
  type DestinationType,
  destinationTypes,
  ownHeaders,
} from './destination-types.ts';

/** Why a batch was not taken, in one word for its owner. */
type Reason = DestinationTestFailure['reason'];

/** What became of one try. */
export type Sent =
  | { readonly isTaken: true; readonly status: number; readonly rejected: number }
  | {
      readonly isTaken: false;
      readonly reason: Reason;
      readonly status?: number;
      /** Whether another try may help, and the milliseconds that the backend wants to be left alone. */
      readonly mayRetry: boolean;
      readonly retryAfter?: number;
    };

/** What sends. */
export interface Sender {
  readonly guard: EgressGuard;
  /** Which private addresses the operator allows. */
  readonly egress: () => EgressSettings;
  readonly proxyFor: (url: URL) => ProxyAddress | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** One body with the id that all its tries share. */
export interface Batch {
  readonly id: string;
  readonly body: Buffer;
  /** Whether it is the test of a destination. */
  readonly isTest?: true;
}

/** Milliseconds that one try may take, and bytes of an answer that are read. */
const longestTry = 10_000;
const mostRead = 4096;
/** Milliseconds that a backend may ask to be left alone. */
const longestWait = 60_000;

const contentTypes: Readonly<Record<BodyForm, string>> = {
  'otlp-json': 'application/json',
  'otlp-protobuf': 'application/x-protobuf',
  rows: 'application/x-ndjson',
  lines: 'application/x-ndjson',
};
const retried: ReadonlySet<number> = new Set([408, 425, 429]);
const compress = promisify(gzip);

/** Sends a batch once (docs/spec/destinations.md#delivery). Never rejects. */
export async function sendBatch(
  { type, config }: OpenDestination,
  batch: Batch,
  sender: Sender,
  signal: AbortSignal,
): Promise<Sent> {
  const kind = destinationTypes[type];
  if (kind === undefined) return { isTaken: false, reason: 'refused', mayRetry: false };
  try {
    const request = await addressed(kind, { type, config }, batch, sender.now());
    const url = URL.parse(request.url);
    const answer = await sender.guard.open({
      ...request,
      signal,
      timeout: longestTry,
      maxBody: mostRead,
      maxRedirects: 0,
      ...(url !== null && { proxy: sender.proxyFor(url) }),
      checkHop: (hop) => requireHttps(hop, sender.egress()),
    });
    return await outcomeOf(answer, kind, batch);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    return { isTaken: false, reason, mayRetry: reason !== 'blocked_address' };
  }
}

interface WholeRequest extends DestinationRequest {
  readonly body: Buffer;
}

async function addressed(
  kind: DestinationType,
  { type, config }: OpenDestination,
  batch: Batch,
  now: number,
): Promise<WholeRequest> {
  const texts = configTexts(kind, config);
  const request = kind.request(texts);
  const body = kind.form === 'lines' && batch.isTest !== true ? await compress(batch.body) : batch.body;
  const headers = {
    'content-type': contentTypes[kind.form],
    ...lowercase(ownHeaders(config)),
    ...request.headers,
    ...(batch.isTest === true && { 'x-test-connection': 'true' }),
  };
  if (type === 'webhook') {
    const { signingSecret } = texts;
    const secret = signingSecret === undefined ? undefined : new Secret(signingSecret);
    const signed = webhookHeaders({ id: batch.id, body }, now, secret);
    return { ...request, body, headers: { ...headers, ...signed } };
  }
  if (type === 's3') return signedObject({ ...request, body, headers }, texts, batch, now);
  if (type === 'clickhouse' && batch.isTest === true) {
    const url = new URL(request.url);
    // Reads nothing, and shows that the table is there.
    url.search = new URLSearchParams({
      query: `SELECT 1 FROM ${texts.database}.${texts.table} LIMIT 0`,
    }).toString();
    return { ...request, url: url.href, body, headers };
  }
  return { ...request, body, headers };
}

function lowercase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** This process, in names of objects. */
const instance = randomUUID().slice(0, 8);
let sequence = 0;

/** The name of the next object. */
function objectName({ prefix = '', pathTemplate = '' }: ConfigTexts, batch: Batch, now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split('T');
  const words: Readonly<Record<string, string>> = { prefix, date, hour: time.slice(0, 2) };
  const folder = pathTemplate.replace(/\{(\w+)\}/g, (_all, word: string) => words[word] ?? '');
  sequence += 1;
  const file = batch.isTest === true ? 'test-connection' : `${instance}-${now}-${sequence}.ndjson.gz`;
  return [...folder.split('/'), file].filter(Boolean).map(encodeURIComponent).join('/');
}

/** An object of S3, signed (AWS Signature Version 4). */
async function signedObject(
  request: WholeRequest,
  texts: ConfigTexts,
  batch: Batch,
  now: number,
): Promise<WholeRequest> {
  const { accessKeyId = '', secretAccessKey = '', sessionToken, region = '' } = texts;
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  const url = new URL(`${request.url}/${objectName(texts, batch, now)}`);
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const signer = new SignatureV4({
    credentials,
    region,
    service: 's3',
    sha256: Sha256,
    // S3 signs the path as it is.
    uriEscapePath: false,
  });
  const headers = {
    ...request.headers,
    ...(batch.isTest !== true && { 'content-encoding': 'gzip' }),
    host: url.host,
  };
  const { method, body } = request;
  const signed = await signer.sign(
    { method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, query: {}, headers, body },
    { signingDate: new Date(now) },
  );
  const { host: _host, ...sent } = signed.headers;
  return { url: url.href, method, body, headers: sent };
}

/** @throws EgressFailure where an address is not secure, unless the operator allows it by name. */
function requireHttps(url: URL, settings: EgressSettings): void {
  if (url.protocol === 'https:' || allowsTarget(egressRules(settings), url)) return;
  throw new EgressFailure('refused', 'The address is not allowed: only https is.');
}

async function outcomeOf(answer: EgressStream, kind: DestinationType, batch: Batch): Promise<Sent> {
  const { status, headers } = answer;
  const isFine = status >= 200 && status < 300;
  if (isFine || (batch.isTest === true && status === kind.testStatus)) {
    const text = kind.form === 'otlp-json' ? await readSome(answer.body) : await leave(answer.body);
    return { isTaken: true, status, rejected: rejectedSpans(parseJson(text)) };
  }
  await leave(answer.body);
  const mayRetry = retried.has(status) || status >= 500;
  const seconds = Number(headers['retry-after']);
  return {
    isTaken: false,
    reason: 'status',
    status,
    mayRetry,
    ...(seconds > 0 && { retryAfter: Math.min(seconds * 1000, longestWait) }),
  };
}

/** Spans that a backend did not take of an export that it took; it must not be sent again. */
function rejectedSpans(answer: unknown): number {
  const partial: JsonObject =
    isObject(answer) && isObject(answer.partialSuccess) ? answer.partialSuccess : {};
  const count = Number(partial.rejectedSpans ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** The beginning of an answer; what is longer is of no interest. */
async function readSome(body: EgressStream['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString();
}

async function leave(body: EgressStream['body']): Promise<string> {
  await body.cancel().catch(() => undefined);
  return '';
}

const codes: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
};

function reasonOf(thrown: unknown): Reason {
  if (!(thrown instanceof EgressFailure)) return 'refused';
  if (thrown.reason === 'refused') return 'blocked_address';
  if (thrown.reason === 'timeout') return 'timeout';
  const code = codeOf(thrown.cause);
  if (code === undefined) return thrown.cause === undefined ? 'dns' : 'refused';
  return codes[code] ?? (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code) ? 'tls' : 'refused');
}

function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' && !code.startsWith('UND_ERR') ? code : codeOf(cause.cause);
}
