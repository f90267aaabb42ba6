import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HeadgateError } from '../core/errors.ts';
import { createGenerationId } from '../core/ids.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import { RequestCutOff, readBody } from '../http/body.ts';
import { HttpReply } from '../http/reply.ts';
import { headerText, parseJson, parseQuery, type ReceivedRequest } from '../http/request.ts';
import { BodyUnpacking } from '../http/unpack-body.ts';
import type { RequestTrace } from '../ports/request-trace.ts';
import type { Caller } from '../settlement/caller.ts';
import { FairScheduler } from '../waiting/fair-scheduler.ts';
import { largestBatch, MicroBatch } from '../waiting/micro-batch.ts';
import { SessionGate } from './dashboard/session-gate.ts';
import { describeFailure } from './describe-failure.ts';
import type { EdgeServices } from './edge-services.ts';
import { Gate } from './gate.ts';
import { refuseUnwelcome } from './load-guard.ts';
import {
  apiBase,
  isUnstored,
  type KeyedCall,
  pathOf,
  type Route,
  type RouteAnswer,
  type RouteCall,
  securityHeaders,
  unstored,
} from './route.ts';
import { type FoundRoute, RouteTable } from './route-table.ts';
import { beginTrace, endTrace, noteFailure } from './trace-exchange.ts';

const exposedHeaders = [
  'x-generation-id',
  'x-request-id',
  'retry-after',
  'x-should-retry',
  'idempotent-replayed',
  'x-service-left-out',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ');

/**
 * The headers that let a page of the request's origin read the answer; undefined when no origin is given, or when none
 * is configured and so none is judged.
 * @throws HeadgateError `invalid_request` for an origin outside the configured list (docs/spec/accounts.md#origins).
 */
function corsHeaders(
  request: Pick<ReceivedRequest, 'headers'>,
  origins: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (origins.length === 0) return undefined;
  const origin = headerText(request, 'origin');
  if (origin === undefined) return undefined;
  if (!origins.includes('*') && !origins.includes(origin)) {
    throw new HeadgateError(
      'invalid_request',
      'This origin may not call the API: it is not in server.cors_origins.',
    );
  }
  return {
    'access-control-allow-origin': origin,
    vary: 'origin',
    'access-control-expose-headers': exposedHeaders,
  };
}

/** The further headers that answer a preflight request of an allowed origin. */
function preflightHeaders(request: Pick<ReceivedRequest, 'headers'>): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
    'access-control-allow-headers':
      headerText(request, 'access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  };
}

const json = /^\s*application\/json\s*(;|$)/i;

/**
 * Refuses a body whose `Content-Type` is not `application/json`, with parameters or without: browsers send any other body to
 * other origins without asking first.
 * @throws HeadgateError `invalid_request`.
 */
function requireJsonType({ 'content-type': type }: IncomingHttpHeaders): void {
  if (type !== undefined && json.test(type)) return;
  throw new HeadgateError(
    'invalid_request',
    `The header Content-Type must be application/json; ${type === undefined ? 'there is none' : 'it is something else'}.`,
  );
}

interface EdgeParts {
  readonly services: EdgeServices;
  readonly table: RouteTable;
  /** What pages of the dashboard call by their session; undefined where there are none. */
  readonly forPages: RouteTable | undefined;
  readonly gate: Gate;
  readonly sessions: SessionGate;
  /** Where requests wait for each other whose bodies are read. */
  readonly read: MicroBatch;
  /** The dialects that describe errors in their own words. */
  readonly dialects: readonly PublicDialect[];
}

/** What a listener serves. */
export interface ServedRoutes {
  /** By their paths. */
  readonly routes: readonly Route[];
  /** The interface, for pages of the dashboard, which call it by their session; undefined where there are none. */
  readonly forPages?: readonly Route[] | undefined;
}

/** One request while it is answered. */
interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly reply: HttpReply;
  /** Set as soon as it is known, for what is logged and answered. */
  caller: Caller | undefined;
  /** The route, once it is found. */
  route: Route | undefined;
  /** Undefined where no spans are made. */
  trace: RequestTrace | undefined;
}

/**
 * Answers every request of the server by the table of routes. All that routes have in common is done here, in this order:
 * id, origin, route, draining and overload, key, body, key again, handler, errors. Requests that come close to each other are begun
 * together (`MicroBatch`).
 */
export function createEdge({ routes, forPages }: ServedRoutes, services: EdgeServices): RequestListener {
  const parts: EdgeParts = {
    services,
    table: new RouteTable(routes, services.config.server.basePaths),
    forPages: forPages && new RouteTable(forPages),
    gate: new Gate(services),
    sessions: new SessionGate(services),
    read: new MicroBatch(),
    dialects: [...new Set(routes.flatMap(({ dialect }) => dialect ?? []))],
  };
  const arrivals = new MicroBatch(largestBatch);
  return (request, response) => arrivals.add(() => void answer(request, response, parts));
}

/** Never rejects. */
async function answer(request: IncomingMessage, response: ServerResponse, parts: EdgeParts): Promise<void> {
  const { services } = parts;
  const id = createGenerationId(services.clock.now());
  const headers = { 'x-generation-id': id, 'x-request-id': id, ...securityHeaders };
  const reply = new HttpReply(response, headers, services.config.server.sendTimeout);
  const exchange: Exchange = { id, request, reply, caller: undefined, route: undefined, trace: undefined };
  try {
    if (answerPreflight(exchange, services)) return;
    const fromDashboard = isOfDashboard(request, parts);
    const { route, params } = findRoute(request, parts, fromDashboard);
    exchange.route = route;
    exchange.trace = beginTrace({ id, route, arrival: request, fromDashboard }, services);
    if (fromDashboard || isUnstored(route)) reply.addHeaders(unstored);
    const idHeader = route.dialect?.idHeader;
    if (idHeader !== undefined) reply.addHeaders({ [idHeader]: id });
    const { headers: sent, url = '' } = request;
    const entered = fromDashboard
      ? parts.sessions.enter(request, route)
      : parts.gate.enter({
          id,
          route,
          arrival: request,
          onKnown: (caller) => {
            exchange.caller = caller;
          },
        });
    exchange.caller = entered instanceof Promise ? await entered : entered;
    // A key shows more of what everyone may see.
    if (route.access === 'optional' && exchange.caller !== undefined) reply.addHeaders(unstored);
    const body = isBodyless(route) ? undefined : await receive(route, exchange, parts);
    if (fromDashboard) parts.sessions.requireTypedKey(request, route, body);
    // From here on the handler itself notices when its client goes.
    if (response.destroyed) return;
    const query = parseQuery(url);
    const { caller } = exchange;
    const { trace } = exchange;
    const call = { id, caller, params, query, headers: sent, body, arrival: request, reply, trace };
    const answered = handle(route, call);
    send(answered instanceof Promise ? await answered : answered, route, reply);
  } catch (thrown) {
    sendFailure(thrown, exchange, parts);
    noteFailure(exchange.trace, thrown);
  } finally {
    endTrace(exchange.trace, response, exchange.caller);
  }
}

/**
 * Adds the headers for the request's origin, before anything else can fail: a page reads only answers that name its
 * origin. Returns true when the request was a preflight and is answered.
 */
function answerPreflight({ request, reply }: Exchange, { config }: EdgeServices): boolean {
  // The dashboard answers only its own pages, whichever origins may call the interface.
  if (request.url?.startsWith('/ui/') === true) return false;
  const cors = corsHeaders(request, config.server.corsOrigins);
  if (cors === undefined) return false;
  reply.addHeaders(cors);
  if (request.method !== 'OPTIONS') return false;
  reply.addHeaders(preflightHeaders(request));
  reply.sendEmpty(204);
  return true;
}

/** What pages of the dashboard call instead of the interface, by their session. */
const dashboardBase = '/ui/api/';

function isOfDashboard({ url = '' }: IncomingMessage, { forPages, services }: EdgeParts): boolean {
  return forPages !== undefined && url.startsWith(dashboardBase) && services.config.server.dashboard.enabled;
}

function findRoute(
  { method = '', url = '' }: IncomingMessage,
  { table, forPages, services }: EdgeParts,
  fromDashboard: boolean,
): FoundRoute {
  const path = pathOf(url);
  const found =
    fromDashboard && forPages !== undefined
      ? forPages.find(method, `${apiBase}/${path.slice(dashboardBase.length)}`)
      : table.find(method, path);
  if (found.route.alwaysAnswered !== true) refuseUnwelcome(services.lifecycle, services.load);
  return found;
}

/**
 * The JSON or the form a request brings, after which its key is asked about once more.
 * @throws HeadgateError, and RequestCutOff when the client has gone.
 */
async function receive(route: Route, exchange: Exchange, parts: EdgeParts): Promise<unknown> {
  const { services, gate, read } = parts;
  const { request, reply, caller } = exchange;
  const owner = caller && { key: caller.key.hash, account: caller.account.id };
  const room = services.bodies.open(reply.raw, owner);
  // Not before: a client that is refused need not send its body.
  if (request.headers.expect !== undefined) reply.raw.writeContinue();
  const limit = services.config.server.bodyLimit;
  const packed = await readBody(request, limit, room);
  if (packed.length > largeBody) await largeBodies.join();
  // The bodies of a batch come one after the other; from here on they are together again.
  else await read.join();
  if (caller !== undefined) {
    const bySession = isOfDashboard(request, parts);
    const still = gate.enterAgain(caller, { id: exchange.id, route, arrival: request, bySession });
    exchange.caller = still instanceof Promise ? await still : still;
  }
  if (route.takesForm !== true && route.access !== 'inference') requireJsonType(request.headers);
  // Callers without a key share one turn.
  const whose = caller?.account.id ?? '';
  const unpacked = unpacking.unpack({ bytes: packed, headers: request.headers, limit, room, owner: whose });
  const bytes = unpacked instanceof Promise ? await unpacked : unpacked;
  if (unpacked instanceof Promise && bytes.length > largeBody) await largeBodies.join();
  return route.takesForm === true ? bytes : parseJson(bytes);
}

const unpacking = new BodyUnpacking();

/** Bytes of a body from which reading it takes milliseconds. */
const largeBody = 64 * 1024;

/** Requests with large bodies take turns: begun together, a few dozen would leave nobody else one for seconds. */
const largeBodies = new FairScheduler();

/** Whether a body is ignored that comes with a request. */
function isBodyless({ method }: Route): boolean {
  return method === 'GET' || method === 'DELETE';
}

function handle(route: Route, call: RouteCall): RouteAnswer | Promise<RouteAnswer> {
  if (route.access === 'optional') return route.handle(call);
  if (route.access === 'open') return route.handle({ ...call, caller: undefined });
  if (!hasCaller(call)) throw new HeadgateError('authentication');
  return route.handle(call);
}

function hasCaller(call: RouteCall): call is KeyedCall {
  return call.caller !== undefined;
}

function send(answer: RouteAnswer, { status: usual = 200 }: Route, reply: HttpReply): void {
  if (answer === undefined) return;
  const { status = usual, headers } = answer;
  if (headers !== undefined) reply.addHeaders(headers);
  if ('json' in answer) reply.sendJson(status, JSON.stringify(answer.json));
  else if ('bytes' in answer) reply.sendBytes(status, answer.type, answer.bytes);
  else if ('text' in answer) reply.sendText(status, answer.type, answer.text);
  else reply.sendEmpty(status);
}

function sendFailure(
  thrown: unknown,
  { id, request, reply, caller, route, trace }: Exchange,
  { services, dialects }: EdgeParts,
): void {
  if (thrown instanceof RequestCutOff) return;
  const { method = '', url = '' } = request;
  const dialect = route?.dialect ?? dialects.find((one) => isMeant(one, request));
  const failed = { id, method, url, caller, arrival: request, dialect, traceId: trace?.place.traceId };
  const { status, headers, body } = describeFailure(thrown, failed, services);
  if (dialect?.idHeader !== undefined) reply.addHeaders({ [dialect.idHeader]: id });
  if (reply.committed) {
    // Half an answer must not look whole.
    reply.raw.destroy();
    return;
  }
  reply.addHeaders(headers);
  reply.sendJson(status, JSON.stringify(body));
}

/** Whether a request without a route of a dialect comes from a client of it: by its path, or by a header of its own. */
function isMeant({ path, clientHeader }: PublicDialect, { url = '', headers }: IncomingMessage): boolean {
  if (clientHeader !== undefined && headers[clientHeader] !== undefined) return true;
  return clientHeader !== undefined && pathOf(url).includes(`/v1${path}/`);
}
