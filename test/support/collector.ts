import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Attribute = string | number | boolean | readonly unknown[];

/** A span as a collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly isError: boolean;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A collector that takes OTLP as JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Bodies of exports by path, as they came. */
  readonly bodies: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  /** What it answers from now on; undefined never answers. */
  setStatus(status: number | undefined): void;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of exports, each checked by its test.
type Json = any;

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Collector['bodies'] = [];
  let status: number | undefined = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString();
      bodies.push({ path: request.url ?? '', headers: request.headers, text });
      if (status === undefined) return;
      if (status === 200 && request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(text)));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    setStatus: (next) => {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The spans of an export in JSON. */
export function spansOf({ resourceSpans }: Json): CollectedSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) => spans.map(spanOf)),
  );
}

function spanOf(span: Json): CollectedSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: kinds[span.kind] ?? '',
    from: BigInt(span.startTimeUnixNano),
    to: BigInt(span.endTimeUnixNano),
    isError: span.status.code === 2,
    links: span.links.map(({ traceId, spanId }: Json) => ({ traceId, spanId })),
    attributes: attributesOf(span.attributes),
  };
}

/** Attributes as plain values. */
export function attributesOf(attributes: Json): Record<string, Attribute> {
  return Object.fromEntries(attributes.map(({ key, value }: Json) => [key, plain(value)]));
}

function plain(value: Json): Attribute {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

/** The spans of one trace, one a line, each below its parent, with what `note` says of it; in order of their beginnings. */
export function treeOf(
  spans: readonly CollectedSpan[],
  note: (span: CollectedSpan) => string = () => '',
): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const sorted = spans.toSorted((one, other) => Number(one.from - other.from));
  const below = (parent: string | undefined, depth: number): string[] =>
    sorted
      .filter((span) =>
        parent === undefined
          ? span.parentSpanId === undefined || !ids.has(span.parentSpanId)
          : span.parentSpanId === parent,
      )
      .flatMap((span) => {
        const words = [span.kind, span.name, span.isError ? 'ERROR' : '', note(span)].filter(
          (word) => word !== '',
        );
        return [`${'  '.repeat(depth)}${words.join(' ')}`, ...below(span.spanId, depth + 1)];
      });
  return below(undefined, 0);
}
