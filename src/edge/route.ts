import type { IncomingHttpHeaders } from 'node:http';
import type { Permission } from '../core/roles.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import type { Arrival } from '../http/client-address.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Query } from '../http/request.ts';
import type { RequestTrace } from '../ports/request-trace.ts';
import type { Caller } from '../settlement/caller.ts';

/**
 * A row of the table of routes: what is served at one path by one method, and which callers may use it. The edge does
 * everything that all routes have in common before it calls `handle`, and sends what that returns.
 */
export type Route = OpenRoute | OptionalRoute | KeyedRoute;

interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** From the root, with parameters in braces: `/api/v1/keys/{hash}`. A route of GET also answers HEAD. */
  readonly path: string;
  /** The status of an answer that names none; 200 by default. */
  readonly status?: number;
  /** Whose error bodies it answers with; without one, those of all routes. */
  readonly dialect?: PublicDialect;
  /** Whether it is answered while the server stops or sheds load: what operators watch, and what errors refer to. */
  readonly alwaysAnswered?: boolean;
  /** Whether its body is a form (`multipart/form-data`) instead of JSON: the handler gets its bytes. */
  readonly takesForm?: boolean;
}

/** Served to everyone. `Authorization` is not read. */
export interface OpenRoute extends RouteRow {
  readonly access: 'open';
  readonly handle: Handler<undefined>;
}

/** Served to everyone. Its handler is given the caller where the request has a key that works. */
export interface OptionalRoute extends RouteRow {
  readonly access: 'optional';
  readonly handle: Handler<Caller | undefined>;
}

/** Every body of a route, or those for which it returns true. The body is as it was sent. */
export type NeedsTypedKey = true | ((body: unknown) => boolean);

/** Served to keys: of any kind, for inference alone, or for management alone. */
export interface KeyedRoute extends RouteRow {
  readonly access: 'key' | 'inference' | 'management';
  /** What the role of a management key must reach (docs/spec/identity.md#permissions). */
  readonly needs: Permission;
  /** Which bodies a session of the dashboard can only send when its key was typed lately. */
  readonly needsTypedKey?: NeedsTypedKey | undefined;
  /** Judges the caller before the body is read. @throws HeadgateError to refuse. */
  readonly admit?: (caller: Caller) => void;
  readonly handle: Handler<Caller>;
}

/** Answers one request. @throws HeadgateError or RefusedCall as long as nothing was sent. */
export type Handler<Who extends Caller | undefined> = (
  call: RouteCall<Who>,
) => RouteAnswer | Promise<RouteAnswer>;

/** One request, checked as far as the edge can: its key is accepted and its body is JSON. */
export interface RouteCall<Who extends Caller | undefined = Caller | undefined> {
  /** Its public id, and that of the generation it may become. */
  readonly id: string;
  readonly caller: Who;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  /** Its JSON, or the bytes of a form; undefined for GET and DELETE, whose bodies are ignored. */
  readonly body: unknown;
  readonly arrival: Arrival;
  /** For handlers that send their answer themselves. */
  readonly reply: HttpReply;
  /** Where it is noted what is done for it; undefined where no spans are made. */
  readonly trace?: RequestTrace | undefined;
}

/** A call of a route that needs a key. */
export type KeyedCall = RouteCall<Caller>;

/** What is sent: JSON, a text of some media type, or headers alone. `undefined`: the handler sent its answer itself. */
export type RouteAnswer = JsonAnswer | TextAnswer | BytesAnswer | EmptyAnswer | undefined;

interface AnswerHead {
  /** The status of its route by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonAnswer extends AnswerHead {
  readonly json: unknown;
}

export interface TextAnswer extends AnswerHead {
  /** The media type, with its character set. */
  readonly type: string;
  readonly text: string;
}

export interface BytesAnswer extends AnswerHead {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** An answer without a body, such as 304. */
export interface EmptyAnswer extends AnswerHead {
  readonly empty: true;
}

type Headers = Readonly<Record<string, string>>;

/** Sent with every answer: browsers must not guess its type, and pages that link onward must not name where they were. */
export const securityHeaders: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Sent with answers that show keys, accounts or their records: no cache and no browser history may keep them. */
export const unstored: Headers = { 'cache-control': 'no-store' };

/**
 * Whether every answer of a route, refusals included, is `unstored` (docs/spec/operations.md#security-headers). Answers of models
 * have headers of their own.
 */
export function isUnstored({ access }: Route): boolean {
  return access === 'key' || access === 'management';
}

/** What every route of the public interface begins with. */
export const apiBase = '/api/v1';

/** A request's path, without what is asked of it. */
export function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
