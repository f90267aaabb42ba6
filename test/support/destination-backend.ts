import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { CollectedSpan } from './collector.ts';
import { spansOf } from './collector.ts';
import { eventually } from './eventually.ts';
import { usualDestinations } from './gateway.ts';
import { type GuardedGateway, type GuardedOptions, startGuarded } from './guarded-gateway.ts';

/** A request as a backend got it. */
export interface Taken {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A backend that destinations send to. */
export interface Backend {
  readonly url: string;
  readonly port: number;
  /** All but tests. */
  readonly taken: Taken[];
  readonly tests: Taken[];
  /** What it answers from now on, status and body; undefined never answers. */
  answer:
    | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
    | undefined;
  /** Waits for so many exports. */
  wait(count: number): Promise<readonly Taken[]>;
}

/** Starts a backend. */
export async function startBackend(t: TestContext): Promise<Backend> {
  const taken: Taken[] = [];
  const tests: Taken[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const isTest = headers['x-test-connection'] === 'true';
      (isTest ? tests : taken).push({ method, url, headers, body: Buffer.concat(chunks) });
      const { answer } = backend;
      if (answer === undefined) return;
      response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const backend: Backend = {
    url: `http://127.0.0.1:${port}`,
    port,
    taken,
    tests,
    answer: { status: 200 },
    wait: (count) => eventually(`${count} exports`, () => (taken.length >= count ? taken : undefined)),
  };
  return backend;
}

/** The spans of an export in JSON. */
export function spansIn({ body }: Taken): readonly CollectedSpan[] {
  return spansOf(JSON.parse(body.toString()));
}

/** Attributes of a resource of an export in JSON. */
export function resourceIn({ body }: Taken): Readonly<Record<string, unknown>> {
  const [first] = JSON.parse(body.toString()).resourceSpans;
  return Object.fromEntries(
    first.resource.attributes.map(({ key, value }: { key: string; value: object }) => [
      key,
      Object.values(value)[0],
    ]),
  );
}

/** A gateway whose workspace broadcasts, that sends at once and may send to a backend of this machine. */
export interface BroadcastingGateway extends GuardedGateway {
  readonly backend: Backend;
  /** Creates a destination at the backend; returns its id. */
  create(more?: object): Promise<string>;
}

/** Starts one. */
export async function startBroadcasting(
  t: TestContext,
  {
    destinations = {},
    pauses = {},
    ...options
  }: GuardedOptions & {
    readonly destinations?: Partial<typeof usualDestinations>;
    readonly pauses?: object;
  } = {},
): Promise<BroadcastingGateway> {
  const backend = await startBackend(t);
  const guarded = await startGuarded({
    ...options,
    config: {
      ...options.config,
      observability: {
        refusals: true,
        plans: 'off',
        keep: 604_800_000,
        destinations: {
          ...usualDestinations,
          privateHosts: [`127.0.0.1:${backend.port}`],
          ...destinations,
        },
      },
    },
    parts: { ...options.parts, destinationPauses: { batch: 20, retry: 20, rest: 300, ...pauses } },
  });
  t.after(() => guarded.stop());
  const { manage, gateway } = guarded;
  const id = gateway.account.defaultWorkspaceId ?? '';
  const flagged = await manage('PATCH', `/workspaces/${id}`, { is_observability_broadcast_enabled: true });
  if (flagged.status !== 200) throw new Error(flagged.text);
  return {
    ...guarded,
    backend,
    async create(more = {}) {
      const made = await manage('POST', '/observability/destinations', {
        type: 'otel-collector',
        name: 'mine',
        config: { endpoint: backend.url },
        ...more,
      });
      if (made.status !== 201) throw new Error(made.text);
      return made.body.data.id;
    },
  };
}
