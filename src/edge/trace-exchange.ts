import type { ServerResponse } from 'node:http';
import { keepingDisabled, keepingHeader } from '../content/content-rules.ts';
import { readTraceField } from '../core/trace-field.ts';
import { type Arrival, clientAddress, isFromProxy } from '../http/client-address.ts';
import { headerText } from '../http/request.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import type { RequestTrace, TracedEnd } from '../ports/request-trace.ts';
import type { Caller } from '../settlement/caller.ts';
import { isObject } from '../util/json.ts';
import type { EdgeServices } from './edge-services.ts';
import type { ReadCall } from './read-call.ts';
import type { Route } from './route.ts';

/** What an exchange is named by. */
interface Exchange {
  readonly id: string;
  readonly route: Pick<Route, 'method' | 'path' | 'access'>;
  readonly arrival: Arrival;
  /** Whether a page of the dashboard asks, by its session. */
  readonly fromDashboard?: boolean;
}

/**
 * Begins the notes of a request; undefined where nothing would be exported of it, and for what only looks after the server: open
 * routes, and what pages of the dashboard ask for themselves.
 */
export function beginTrace(
  { id, route, arrival, fromDashboard = false }: Exchange,
  { traces, config }: Pick<EdgeServices, 'traces' | 'config'>,
): RequestTrace | undefined {
  if (traces === undefined || route.access === 'open') return undefined;
  if (fromDashboard && route.access !== 'inference') return undefined;
  const { trustProxy, tls } = config.server;
  const { headers } = arrival;
  const forwarded = isFromProxy(arrival, trustProxy)
    ? headerText({ headers }, 'x-forwarded-proto')
    : undefined;
  const isSecure = tls !== undefined || forwarded === 'https';
  const exchange = {
    id,
    method: route.method,
    route: route.path,
    scheme: isSecure ? 'https' : 'http',
    userAgent: headers['user-agent'],
    forbidsKeeping: headerText({ headers }, keepingHeader)?.toLowerCase() === keepingDisabled,
  } as const;
  return traces.begin(exchange, {
    // Node joins lines of one name by a comma, which no `traceparent` has.
    traceparent: headers.traceparent,
    tracestate: headers.tracestate,
    address: () => clientAddress(arrival, trustProxy),
  });
}

/** A call that notes what it does, in the trace that its headers or its field `trace` name. */
export function withTrace(
  read: ReadCall,
  { trace, body }: { readonly trace?: RequestTrace | undefined; readonly body: unknown },
): ReadCall {
  if (trace === undefined) return read;
  trace.read(read.call, isObject(body) ? readTraceField(body.trace) : undefined);
  return { ...read, call: { ...read.call, trace } };
}

/** Notes why a request was refused or failed. */
export function noteFailure(trace: RequestTrace | undefined, thrown: unknown): void {
  if (trace === undefined) return;
  const { type, status, message, metadata } = RefusedCall.of(thrown).error;
  const { limit_source: limitSource } = metadata;
  trace.failure = { status, message, errorType: type, ...(limitSource !== undefined && { limitSource }) };
}

/** A client that left before its answer began has no status. */
const statusOfLeft = 499;

/** The exchange of a request is over. */
export function endTrace(
  trace: RequestTrace | undefined,
  response: ServerResponse,
  caller: Caller | undefined,
): void {
  const status = response.headersSent ? response.statusCode : statusOfLeft;
  close(trace, { ...trace?.failure, status }, caller);
}

/** The answer to a message of a WebSocket is over, which has no status of its own. */
export function endMessageTrace(trace: RequestTrace | undefined, caller: Caller | undefined): void {
  close(trace, { status: 101, ...trace?.failure }, caller);
}

function close(trace: RequestTrace | undefined, end: TracedEnd, caller: Caller | undefined): void {
  if (trace === undefined) return;
  trace.key ??= caller?.key;
  trace.close(end);
}
