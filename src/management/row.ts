import type { Config } from '../config/config.ts';
import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import type { Permission } from '../core/roles.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import type { KeyedRoute, NeedsTypedKey, Route, RouteAnswer, RouteCall } from '../edge/route.ts';
import { clientAddress } from '../http/client-address.ts';
import { malformed } from '../schema/fault.ts';
import { createQueryReader } from '../schema/read-query.ts';
import { createReader } from '../schema/reader.ts';
import type { Caller } from '../settlement/caller.ts';
import { marksOf, type Static, type TSchema } from '../util/json-schema.ts';
import { type KeyActor, keyActor } from './actor.ts';
import type { InterfaceServices, WriteRate } from './interface-services.ts';

/**
 * What a row of the table of routes says of its operation: all that the checks, the document, the reference page and the
 * client types are made from.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** From the root of the server, with parameters in braces. */
  readonly path: string;
  /** Further paths of the same operation, which the document leaves out. */
  readonly alsoAt?: readonly string[];
  /** `open` needs no key, `optional` shows more to one that works. */
  readonly access: Route['access'];
  /** What a role needs to use it; undefined where no key is needed. */
  readonly needs?: Permission;
  /** Unique among all rows; names the operation in the document and in client types. */
  readonly id: string;
  readonly summary: string;
  /** Replaces what the document says of the access. */
  readonly description?: string;
  /** Parameters of the query, as an object. */
  readonly query?: TSchema;
  /** Parameters in headers, as an object. */
  readonly headers?: TSchema;
  /** Not checked here where it is marked as handled elsewhere. */
  readonly body?: TSchema;
  /** Whether the body is a form instead of JSON: the handler gets its bytes. */
  readonly takesForm?: boolean;
  /** The status of success; 200 by default. */
  readonly status?: number;
  /** What success answers: JSON, or text of the media type. */
  readonly answer: TSchema;
  readonly mediaType?: string;
  /** The status of success where the configuration decides it. */
  readonly statusBy?: (config: Config) => number;
  /** What success means; "Done" by default. */
  readonly success?: string;
  /** Further answers that are no errors, by status. */
  readonly otherwise?: Readonly<Record<number, { readonly description: string; readonly answer: TSchema }>>;
  /** The events of the answer where it is streamed. */
  readonly events?: TSchema;
  /** How it can fail besides the ways that every operation can, and those that its access and its body bring. */
  readonly failures?: readonly ErrorCode[] | 'any';
  /** Whether it is answered while the server stops as well. */
  readonly alwaysAnswered?: boolean;
  /** Which bodies a session can only send when its key was typed lately; a bearer key always counts as typed. */
  readonly needsTypedKey?: NeedsTypedKey;
  /** Judges the caller before the body is read. @throws HeadgateError to refuse. */
  readonly admit?: (caller: Caller) => void;
  /** The rate of its account that it counts in, before the body is read. */
  readonly rate?: WriteRate;
  /** Whose bodies failures get, where they are not the usual ones. */
  readonly dialect?: PublicDialect;
  /** The body of failures, where it is not the usual one. */
  readonly errorAnswer?: TSchema;
  /** Whether text of the request reaches the database, which cannot take every character. */
  readonly reachesDatabase?: boolean;
}

/** A row of the table: an operation, and the routes that serve it. */
export interface Row extends Operation {
  /** The routes of its paths. */
  readonly bind: (services: InterfaceServices) => readonly Route[];
}

type ActorOf<Access> = Access extends 'key' | 'inference' | 'management' ? KeyActor : undefined;

type CallerOf<Access> = Access extends 'open'
  ? undefined
  : Access extends 'optional'
    ? Caller | undefined
    : Caller;

/** A call whose query and body fit the schemas of its row. */
export interface CheckedCall<Access, Query, Body> extends Omit<RouteCall, 'caller' | 'query' | 'body'> {
  readonly caller: CallerOf<Access>;
  /** Who asks operations for something. */
  readonly actor: ActorOf<Access>;
  readonly query: Query;
  readonly body: Body;
  /** The query as it was sent. */
  readonly rawQuery: RouteCall['query'];
}

/** A row that only keys may use says what of them it needs (docs/spec/identity.md#permissions). */
type Admission<Access extends Route['access']> = Access extends KeyedRoute['access']
  ? { readonly access: Access; readonly needs: Permission }
  : { readonly access: Access };

interface JsonOperation<
  Access extends Route['access'],
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
> extends Operation {
  readonly access: Access;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  /** @returns The JSON of success. @throws HeadgateError. */
  readonly handle: (
    call: CheckedCall<Access, Static<Query>, Static<Body>>,
    services: InterfaceServices,
  ) => Static<Answer> | Promise<Static<Answer>>;
}

/** A row whose handler gets a checked query and body and returns what its answer schema says. */
export function jsonRow<
  const Access extends Route['access'],
  Answer extends TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>({ handle, ...operation }: JsonOperation<Access, Query, Body, Answer> & Admission<Access>): Row {
  const read = callReader(operation);
  const { statusBy } = operation;
  return {
    ...operation,
    bind: (services) =>
      routesOf(operation, services, async (call) => {
        // The edge admits only callers that the access allows, and the readers return what their schemas say.
        const checked = read(call, services) as CheckedCall<Access, Static<Query>, Static<Body>>;
        const json = await handle(checked, services);
        return statusBy === undefined ? { json } : { json, status: statusBy(services.config) };
      }),
  };
}

/** A row whose handler decides everything about its answer, or sends it itself. */
export function plainRow<const Access extends Route['access']>(
  operation: Operation & Admission<Access>,
  respond: (
    call: RouteCall<CallerOf<Access>>,
    services: InterfaceServices,
  ) => RouteAnswer | Promise<RouteAnswer>,
): Row {
  return {
    ...operation,
    bind: (services) =>
      routesOf(operation, services, (call) => respond(call as RouteCall<CallerOf<Access>>, services)),
  };
}

function callReader(operation: Operation) {
  const { query, body, reachesDatabase } = operation;
  const readQuery = query === undefined ? undefined : createQueryReader(query);
  const readBody = body === undefined || marksOf(body).handled === true ? undefined : createReader(body);
  return (call: RouteCall, { config }: InterfaceServices) => {
    if (reachesDatabase === true) refuseNul(call);
    const { caller, arrival } = call;
    return {
      ...call,
      actor: caller && keyActor(caller, clientAddress(arrival, config.server.trustProxy), call.id),
      rawQuery: call.query,
      query: readQuery?.(call.query),
      body: readBody === undefined ? call.body : readBody(call.body, ''),
    };
  };
}

function routesOf(
  { path: main, alsoAt = [], rate, ...row }: Operation,
  services: InterfaceServices,
  handle: (call: RouteCall) => RouteAnswer | Promise<RouteAnswer>,
): readonly Route[] {
  const paths = [main, ...alsoAt];
  const { method, status, alwaysAnswered, dialect, takesForm, needsTypedKey } = row;
  const admission = admissionOf(row);
  const admit =
    rate === undefined
      ? row.admit
      : (caller: Caller) => {
          row.admit?.(caller);
          services.writeRates[rate].admit(caller, services.clock.now());
        };
  return paths.map((path) => {
    return {
      ...admission,
      method,
      path,
      status,
      alwaysAnswered,
      admit,
      dialect,
      takesForm,
      needsTypedKey,
      handle,
    };
  });
}

/** @throws TypeError for a row that keys use and that does not say what it needs of them: nothing is open by oversight. */
function admissionOf({ access, needs, id }: Pick<Operation, 'access' | 'needs' | 'id'>) {
  if (access === 'open' || access === 'optional') return { access };
  if (needs === undefined) throw new TypeError(`the row "${id}" does not say what it needs`);
  return { access, needs };
}

const nul = '\u0000';
const fieldName = /^[a-z_]{1,40}$/;

/**
 * Refuses the character U+0000 wherever a request may hold text: not every database can store it or look for it.
 * @throws HeadgateError `not_found` when it is in the path, which then names nothing; else `invalid_request`.
 */
export function refuseNul({ params, query, body }: RouteCall): void {
  if (holdsNul(params)) throw new HeadgateError('not_found', 'There is nothing of this name.');
  for (const part of [query, body]) {
    // The bytes of a form are no text; what is read of them is checked there.
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) continue;
    const member = Object.entries(part).find((entry) => holdsNul(entry));
    if (member === undefined) continue;
    // Names nobody here knows are not repeated: a credential may be in the wrong place.
    throw malformed(fieldName.test(member[0]) ? member[0] : '', 'must not hold the character U+0000');
  }
}

/** Without recursion: nobody has said yet how deep it may be nested. */
function holdsNul(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string' && one.includes(nul)) return true;
    if (typeof one === 'object' && one !== null) {
      for (const entry of Object.entries(one)) open.push(...entry);
    }
  }
  return false;
}
