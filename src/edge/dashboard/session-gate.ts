import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HeadgateError } from '../../core/errors.ts';
import { reachesOwnAlone } from '../../core/roles.ts';
import { headerText, parseQuery } from '../../http/request.ts';
import { asksForSocket } from '../../http/server.ts';
import type { DashboardSession, DashboardSessionStore, Principal } from '../../ports/dashboard-sessions.ts';
import { roleOfKey } from '../../ports/keys.ts';
import type { Caller } from '../../settlement/caller.ts';
import { type AuthenticationServices, authenticateHash, authenticateSecret } from '../authenticate.ts';
import { CallRate } from '../call-rate.ts';
import { isNotForInference, needsManagementKey, requireRole } from '../require-role.ts';
import type { Route } from '../route.ts';
import { readCookie, requireOwnPage } from './session-device.ts';

/** What calls of the dashboard are let in by. */
export type SessionServices = AuthenticationServices & {
  readonly storage: { readonly sessions: DashboardSessionStore };
};

/** A session, and the key that acts in it. */
export interface EnteredSession {
  readonly session: DashboardSession;
  /** What the session knows of that key. */
  readonly principal: Principal;
  readonly caller: Caller;
}

/** Calls of one key by its sessions. */
const callsPerMinute = 600;
/** Milliseconds between two notes that a session is in use. */
const noteUse = 60_000;

/** Milliseconds for which a key counts as typed (docs/spec/dashboard.md#typing-the-key-again). */
export const typedFor = 30 * 60_000;

const noSession = 'You are not logged in, or your session has ended.';

/**
 * Lets in calls of the dashboard by their session. The cookie alone is no credential: a page also sends a token that
 * pages of other origins cannot read (docs/spec/dashboard.md#sessions).
 */
export class SessionGate {
  readonly #services: SessionServices;
  /** Requests whose key was typed lately. */
  readonly #typed = new WeakSet<IncomingMessage>();
  readonly #rate = new CallRate(() => callsPerMinute, 'The dashboard');

  constructor(services: SessionServices) {
    this.#services = services;
  }

  /**
   * The session of a request and who acts in it: the key that `X-Headgate-As` counts to, from 1.
   * @throws HeadgateError `authentication` or `permission_denied`.
   */
  async identify(request: IncomingMessage): Promise<EnteredSession> {
    const { config, clock, storage } = this.#services;
    requireOwnPage(request, config.server);
    const token = readCookie(request, config.server);
    if (token === undefined) throw new HeadgateError('authentication', noSession);
    const session = await storage.sessions.find(hash('sha256', token, 'hex'));
    const now = clock.now();
    if (session === undefined || session.endsAt <= now || session.usedAt + session.idle <= now) {
      throw new HeadgateError('authentication', noSession);
    }
    const csrf = headerText(request, 'x-headgate-csrf');
    if (csrf === undefined || !isSame(hash('sha256', csrf, 'hex'), session.csrf)) {
      throw new HeadgateError(
        'permission_denied',
        'The call lacks the token of its session: load the page again.',
      );
    }
    const number = Number(headerText(request, 'x-headgate-as') ?? 1);
    const principal = session.principals[number - 1];
    if (principal === undefined) throw new HeadgateError('invalid_request', 'The session has no such key.');
    const { keyHash, secretHash } = principal;
    const caller =
      secretHash === undefined
        ? await authenticateHash(keyHash, request, this.#services)
        : await authenticateSecret(secretHash, request, this.#services);
    if (headerText(request, 'x-headgate-activity') === 'user' && now - session.usedAt >= noteUse) {
      await storage.sessions.touch(session.id, now);
    }
    return { session, principal, caller };
  }

  /**
   * The same for a call, of which a key has so many a minute.
   * @throws HeadgateError what `identify` throws, or `platform_rate_limit`.
   */
  async admit(request: IncomingMessage): Promise<EnteredSession> {
    const entered = await this.identify(request);
    this.#rate.admit(entered.caller, this.#services.clock.now());
    return entered;
  }

  /**
   * Who calls a route of the interface from the dashboard. A management key runs inference as the inference key of its
   * account that `X-Headgate-Key` names by its hash.
   * @throws HeadgateError `authentication`, `permission_denied` or what the route's `admit` throws.
   */
  async enter(request: IncomingMessage, route: Route): Promise<Caller> {
    const { config, clock } = this.#services;
    const { caller: principal, principal: known } = await this.admit(request);
    if (asksForSocket(request)) {
      throw new HeadgateError(
        'permission_denied',
        'A session opens no WebSocket: connect to /api/v1/responses with a key in the Authorization header.',
      );
    }
    if (route.method !== 'GET' && config.server.dashboard.readOnly) refuseChange(request, route);
    if (principal.key.kind !== 'management') {
      if (route.access === 'management') throw needsManagementKey();
    } else if ('needs' in route) {
      requireRole(principal.key, route);
    }
    if (isTyped(known, clock.now())) this.#typed.add(request);
    const caller = route.access === 'inference' ? await this.#runner(request, principal) : principal;
    if ('admit' in route) route.admit?.(caller);
    return caller;
  }

  /**
   * Refuses what a person must confirm by the key itself.
   * @param request One that was let in by its session.
   * @throws HeadgateError `permission_denied` unless the key was typed lately.
   */
  requireTypedKey(request: IncomingMessage, route: Route, body: unknown): void {
    const needs = 'needsTypedKey' in route ? route.needsTypedKey : undefined;
    if (needs === undefined || this.#typed.has(request)) return;
    if (typeof needs === 'function' && !needs(body)) return;
    throw new HeadgateError(
      'permission_denied',
      'This needs your management key typed within the last 30 minutes: type it again.',
      { metadata: { reason: 'key_not_typed' } },
    );
  }

  async #runner(request: IncomingMessage, principal: Caller): Promise<Caller> {
    if (principal.key.kind === 'inference') return principal;
    const named = headerText(request, 'x-headgate-key');
    if (named === undefined) {
      throw new HeadgateError('permission_denied', 'Choose the inference key that this runs as.');
    }
    const caller = await authenticateHash(named, request, this.#services);
    if (caller.account.id !== principal.account.id)
      throw new HeadgateError('not_found', 'There is no such key.');
    if (caller.key.kind === 'management') throw isNotForInference();
    if (reachesOwnAlone(roleOfKey(principal.key), 'inference') && !isOwn(caller, principal)) {
      throw new HeadgateError('not_found', 'There is no such key.');
    }
    return caller;
  }
}

/** Whether a key was made by the person that another one acts for. */
function isOwn({ key }: Caller, { key: principal }: Caller): boolean {
  return key.creatorUserId !== null && key.creatorUserId === principal.creatorUserId;
}

function isTyped({ typedAt }: Principal, now: number): boolean {
  return typedAt !== undefined && now - typedAt < typedFor;
}

/** @throws HeadgateError `permission_denied` for all but a plan, which changes nothing and costs nothing unless a model is asked. */
function refuseChange({ url = '' }: IncomingMessage, { path }: Route): void {
  const isPlan = path.endsWith('/responses/plan');
  const asksModel = parseQuery(url).classify !== undefined;
  if (isPlan && !asksModel) return;
  const remedy = isPlan ? ' The classifying model is charged: leave out "classify".' : '';
  throw new HeadgateError(
    'permission_denied',
    `The dashboard is read-only here (server.dashboard.read_only).${remedy}`,
  );
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
