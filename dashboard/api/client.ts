import type { Operations } from '../../clients/headgate-api.ts';
import { CallFailure, readFailure } from './errors.ts';
import { acting, csrf, noteExpiry, root } from './session-state.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Base = '/api/v1';

/** The operations of a method by their paths, without the base of the interface. */
type At<M extends Method> = {
  [Name in keyof Operations as Operations[Name] extends { method: M; path: `${Base}${infer Path}` }
    ? Path
    : never]: Operations[Name];
};

export type Answer<M extends Method, P extends keyof At<M>> = At<M>[P] extends { answer: infer A }
  ? A
  : never;
type QueryOf<M extends Method, P extends keyof At<M>> = At<M>[P] extends { query: infer Q } ? Q : never;
type BodyOf<M extends Method, P extends keyof At<M>> = At<M>[P] extends { body: infer B } ? B : never;

/** What a call of the interface takes. */
export interface CallOptions<Query = unknown, Body = unknown> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: Body;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads from the interface. @throws CallFailure. */
export function get<P extends keyof At<'GET'> & string>(
  path: P,
  options: CallOptions<QueryOf<'GET', P>> = {},
): Promise<Answer<'GET', P>> {
  return call('GET', path, options);
}

/** Changes something. @throws CallFailure. */
export function send<M extends 'POST' | 'PUT' | 'PATCH' | 'DELETE', P extends keyof At<M> & string>(
  method: M,
  path: P,
  options: CallOptions<QueryOf<M, P>, BodyOf<M, P>> = {},
): Promise<Answer<M, P>> {
  return call(method, path, options);
}

async function call<Result>(method: Method, path: string, options: CallOptions): Promise<Result> {
  const response = await request(method, `ui/api${filled(path, options.params)}`, options);
  // The interface answers what its document says; both are of one release.
  return (await response.json()) as Result;
}

/** Calls a path below the root of the server as the session. @throws CallFailure for any answer that is no success. */
export async function request(method: Method, path: string, options: CallOptions = {}): Promise<Response> {
  const { query, signal, headers } = options;
  const body = options.body ?? (method === 'POST' ? {} : undefined);
  const url = new URL(path, root());
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const response = await fetch(url, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      ...sessionHeaders(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    // Only what changes nothing is repeated without being asked.
    const next = method === 'GET' ? 'It is asked again by itself.' : 'Try again when it is back.';
    throw new CallFailure(`The server cannot be reached. ${next}`, { status: 0, cause });
  });
  if (response.ok) return response;
  const failure = await readFailure(response);
  if (failure.status === 401 && !path.startsWith('ui/session')) noteExpiry();
  throw failure;
}

const longestAnswer = 10_000;

/** Whether the server answers: asks for the shell, which the browser has, so that next to nothing is sent. */
export async function isAnswered(): Promise<boolean> {
  try {
    const response = await fetch(root(), {
      cache: 'no-cache',
      credentials: 'omit',
      signal: AbortSignal.timeout(longestAnswer),
    });
    await response.arrayBuffer();
    // A proxy answers for a server that is away.
    return response.status < 502 || response.status > 504;
  } catch {
    return false;
  }
}

function sessionHeaders(): Record<string, string> {
  const token = csrf();
  return {
    ...(token === null ? {} : { 'x-headgate-csrf': token }),
    'x-headgate-as': String(acting()),
    ...(performance.now() - lastInput < 60_000 ? { 'x-headgate-activity': 'user' } : {}),
  };
}

/** When somebody last did something: only then does a call prolong the session. */
let lastInput = 0;
for (const event of ['pointerdown', 'keydown'] as const) {
  addEventListener(event, () => (lastInput = performance.now()), { passive: true, capture: true });
}

function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
