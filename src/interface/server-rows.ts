import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadgateError } from '../core/errors.ts';
import { type AuthenticationServices, authenticate, bringsKey } from '../edge/authenticate.ts';
import type { Lifecycle } from '../edge/inference-services.ts';
import type { LoadState } from '../edge/load-guard.ts';
import type { RouteAnswer, RouteCall } from '../edge/route.ts';
import { headerText } from '../http/request.ts';
import { showDiskUse } from '../management/installation/installation.ts';
import type { InterfaceServices } from '../management/interface-services.ts';
import { jsonRow, plainRow, type Row } from '../management/row.ts';
import { type DependencyHealth, dependencyStates, serviceOf } from '../metrics/dependency-health.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { metricsContentType } from '../metrics/text-format.ts';
import { roleOfKey } from '../ports/keys.ts';
import { flag, integer, named, Type, text, word } from '../util/json-schema.ts';
import { docsPage } from './docs/docs-page.ts';
import { docsStyle } from './docs/docs-style.ts';
import type { InterfaceDocument } from './docs/interface-document.ts';

type MetricsServices = AuthenticationServices & {
  readonly metrics: Pick<GatewayMetrics, 'render'>;
};

/** What proxies add to requests they pass on. */
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * `GET /metrics` on the public listener (docs/spec/operations.md#other-paths): what is spent and how much is asked
 * concerns the operator alone. It is open where only this machine can ask, and needs a management key anywhere
 * else.
 * @throws HeadgateError `authentication`, `permission_denied`.
 */
async function sendMetrics(call: RouteCall, services: MetricsServices): Promise<RouteAnswer> {
  await requireOperator(call, services);
  return { type: metricsContentType, text: await services.metrics.render() };
}

/** Whether a call may be shown what concerns the operator alone. Never fails. */
async function isOperatorsCall(call: RouteCall, services: AuthenticationServices): Promise<boolean> {
  if (!isOfThisMachine(call, services.config.server.host) && !bringsKey(call.arrival)) return false;
  return requireOperator(call, services).then(
    () => true,
    () => false,
  );
}

async function requireOperator(call: RouteCall, services: AuthenticationServices): Promise<void> {
  if (isOfThisMachine(call, services.config.server.host)) return;
  const { arrival } = call;
  const { key } = await authenticate(arrival, services);
  if (key.kind === 'management') {
    if (roleOfKey(key) === 'owner') return;
    throw new HeadgateError('permission_denied', 'Metrics need a management key of the role "owner".');
  }
  throw new HeadgateError('permission_denied', 'Metrics need a management key; yours is for inference.');
}

/**
 * Whether the listener can be reached from this machine alone, and neither a proxy on it asks for another client nor a
 * page whose name was made to lead here.
 */
function isOfThisMachine({ headers }: RouteCall, host: string): boolean {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false;
  const asked = URL.parse(`http://${headers.host ?? host}`)?.hostname ?? '';
  return isLoopback(host) && isLoopback(asked.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Nothing is loaded, run or sent from the page; its own style sheet alone is let. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${digest(docsStyle)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Page {
  readonly text: string;
  readonly etag: string;
}

type DocsServices = Pick<InterfaceServices, 'document'>;

const pages = new WeakMap<DocsServices, Page>();

/** Answers `GET /docs`. The page is made when it is first asked for, and is the same until the process ends. */
function answerDocs(call: RouteCall, services: DocsServices): RouteAnswer {
  const { text, etag } = pages.get(services) ?? makePage(services);
  const headers = {
    'cache-control': 'public, max-age=300',
    'content-security-policy': policy,
    etag,
  };
  if (headerText(call, 'if-none-match') === etag) return { status: 304, headers, empty: true };
  return { headers, type: 'text/html; charset=utf-8', text };
}

function makePage(services: DocsServices): Page {
  const text = docsPage(services.document() as unknown as InterfaceDocument);
  const page = { text, etag: `"${digest(text)}"` };
  pages.set(services, page);
  return page;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** What it reads. */
type HealthServices = AuthenticationServices &
  Pick<InterfaceServices, 'diskUse'> & {
    readonly lifecycle: Pick<Lifecycle, 'ready' | 'draining'>;
    readonly load: LoadState;
    readonly health: Pick<DependencyHealth, 'check'>;
  };

/** Milliseconds to wait for what takes room. */
const patience = 1_000;

/**
 * `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right
 * (docs/spec/operations.md#other-paths), within a few seconds whatever hangs. Those who may read metrics are also shown what takes
 * room.
 */
async function reportHealth(call: RouteCall, services: HealthServices): Promise<RouteAnswer> {
  const { lifecycle, load, health } = services;
  const [dependencies, disk] = await Promise.all([health.check(), diskFor(call, services)]);
  const { draining } = lifecycle;
  const { overload } = load;
  const status = lifecycle.ready && overload === undefined ? serviceOf(dependencies) : 'unavailable';
  const why = overload === undefined ? {} : { overload };
  const json = { status, draining, ...why, dependencies, ...(disk && { disk: showDiskUse(disk) }) };
  return { status: status === 'unavailable' ? 503 : 200, json };
}

async function diskFor(call: RouteCall, services: HealthServices) {
  if (!(await isOperatorsCall(call, services))) return undefined;
  const late = new AbortController();
  const timer = sleep(patience, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([services.diskUse.first(), timer]);
  late.abort();
  return services.diskUse.value;
}

const dependencies = Object.entries(dependencyStates).map(([name, states]) => [name, word(states)]);

const bytes = (description: string) => integer({ description });

/** The process answers. */
const Liveness = named('Liveness', Type.Object({ status: word(['ok']) }));

/** Whether requests are welcome. */
const Readiness = named(
  'Readiness',
  Type.Object({
    status: word(['ok', 'degraded', 'unavailable']),
    draining: flag(),
    overload: Type.Optional(word(['memory', 'event_loop'])),
    dependencies: Type.Object(Object.fromEntries(dependencies)),
    disk: Type.Optional(
      named(
        'DiskUse',
        Type.Object({
          database_bytes: bytes('Of the database'),
          files_bytes: bytes('Of the contents of files, in the database or beside it'),
          spool_bytes: Type.Optional(
            bytes('Of charges that wait beside the database, and the room for them'),
          ),
          free_bytes: Type.Optional(
            bytes('Free on the disk of the database or, where that is elsewhere, of the spool'),
          ),
        }),
      ),
    ),
  }),
);

/** What a browser sees at the base of the interface; the dashboard is at the root. */
const landingPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headgate</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
  code { background: #8882; padding: 0.1em 0.3em; border-radius: 0.2em; }
  :root { color-scheme: light dark; }
</style>
<h1>Headgate is running</h1>
<p>Send requests to <code>POST /api/v1/responses</code> with <code>Authorization: Bearer &lt;API key&gt;</code>.</p>
<ul>
  <li><a href="/">Dashboard</a></li>
  <li><a href="/api/v1/models">Models</a></li>
  <li><a href="/docs">Reference of the interface</a></li>
  <li><a href="/openapi.json">The interface as OpenAPI</a></li>
  <li><a href="/health/ready">Health</a></li>
</ul>
<p>Keys, credits and reports: <code>headgate keys</code>, <code>headgate credits</code>, <code>headgate usage</code>.</p>
`;

const html = 'text/html; charset=utf-8';
const page = {
  method: 'GET',
  access: 'open',
  answer: text(),
  mediaType: 'text/html',
  success: 'A page.',
} as const;

/** `GET /metrics`, which an installation may serve on a port of its own instead. */
export const metricsRow: Row = plainRow(
  {
    method: 'GET',
    path: '/metrics',
    access: 'open',
    alwaysAnswered: true,
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description:
      'Needs no key where this machine alone can ask, a management key anywhere else. ' +
      'With `server.metrics_port` it is on that port and not here.',
    answer: text(),
    mediaType: 'text/plain',
    success: 'All of them.',
    failures: ['authentication', 'permission_denied'],
  },
  sendMetrics,
);

/** What operators and browsers ask (docs/spec/operations.md#other-paths). */
export const serverRows: readonly Row[] = [
  jsonRow({
    method: 'GET',
    path: '/health/live',
    access: 'open',
    alwaysAnswered: true,
    id: 'getLiveness',
    summary: 'Whether the process answers',
    answer: Liveness,
    success: 'It does.',
    handle: () => ({ status: 'ok' as const }),
  }),
  plainRow(
    {
      method: 'GET',
      path: '/health/ready',
      access: 'open',
      alwaysAnswered: true,
      id: 'getReadiness',
      summary: 'Whether requests are welcome, and how each dependency is',
      answer: Readiness,
      success: 'They are.',
      otherwise: {
        503: {
          description: 'The server stops, is overloaded, or cannot reach what it needs.',
          answer: Readiness,
        },
      },
    },
    reportHealth,
  ),
  metricsRow,
  jsonRow({
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    alwaysAnswered: true,
    id: 'getInterface',
    summary: 'This document',
    answer: Type.Unsafe<object>({ type: 'object' }),
    success: 'The interface as OpenAPI 3.1.',
    handle: (_call, services) => services.document(),
  }),
  plainRow(
    {
      ...page,
      path: '/docs',
      alwaysAnswered: true,
      id: 'getReference',
      summary: 'The interface for reading',
    },
    answerDocs,
  ),
  plainRow(
    { ...page, path: '/api', alsoAt: ['/api/hello'], id: 'getLandingPage', summary: 'Where to begin' },
    () => ({
      type: html,
      text: landingPage,
    }),
  ),
];
