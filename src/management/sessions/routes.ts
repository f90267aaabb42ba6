import { HeadgateError } from '../../core/errors.ts';
import { permissions, type Reach, reachOf } from '../../core/roles.ts';
import { LoginLimit } from '../../edge/dashboard/login-limit.ts';
import {
  type BrowserArrival,
  interfaceRoot,
  isSafeWay,
  readCookie,
  requireOwnPage,
  requirePrivateWay,
  setCookie,
} from '../../edge/dashboard/session-device.ts';
import { SessionGate, typedFor } from '../../edge/dashboard/session-gate.ts';
import { type Route, type RouteAnswer, type RouteCall, unstored } from '../../edge/route.ts';
import { clientAddress } from '../../http/client-address.ts';
import { headerText } from '../../http/request.ts';
import type { DashboardSession, Principal } from '../../ports/dashboard-sessions.ts';
import { type ApiKey, type KnownKey, roleOfKey } from '../../ports/keys.ts';
import { createReader } from '../../schema/reader.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import { Type, text } from '../../util/json-schema.ts';
import { packageVersion } from '../../util/package-version.ts';
import { keyActor } from '../actor.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { standingOf } from '../roles.ts';
import {
  confirmKey,
  endSessions,
  type LoginPlace,
  type LoginRules,
  type OpenedSession,
  openSession,
  redeemLink,
  SessionEntries,
  shownId,
  tokenHash,
} from './sessions.ts';

/** What a page learns about its session: who acts in it, until when, and which features there are. Never a secret. */
async function showSession(
  session: DashboardSession,
  arrival: BrowserArrival,
  services: InterfaceServices,
): Promise<object> {
  const { dashboard } = services.config.server;
  const shown = await Promise.all(
    session.principals.map((principal, index) => showPrincipal(principal, index + 1, services)),
  );
  return {
    id: shownId(session),
    principals: shown.filter((one) => one !== undefined),
    ends_at: isoTime(session.endsAt),
    idle_ms: session.idle,
    as_of: isoTime(services.clock.now()),
    features: {
      version: packageVersion(),
      read_only: dashboard.readOnly,
      insecure: !isSafeWay(arrival, services.config.server),
      base_path: '/api/v1',
      interface_root: interfaceRoot(arrival, services.config.server),
      limit_calendar: services.storage.limitCalendar.changes.map(({ since, timeZone, weekStart }) => ({
        since,
        time_zone: timeZone,
        week_start: weekStart,
      })),
    },
  };
}

/** Undefined for a key that is not there any more. */
async function showPrincipal(principal: Principal, n: number, services: InterfaceServices) {
  const { storage } = services;
  const known = await storage.keys.findWithAccount(principal.keyHash);
  if (known === undefined) return undefined;
  const { key, account } = known;
  const role = await standingOf(key, services);
  const workspaces =
    role === 'key'
      ? []
      : (await storage.workspaces.list({ accountId: account.id, offset: 0, limit: mostWorkspaces }))
          .workspaces;
  return {
    n,
    role,
    key_hash: key.hash,
    label: key.label,
    name: key.name,
    account: { id: account.id, name: account.name },
    workspace_id: key.workspaceId,
    workspaces: workspaces.map(({ id, name, slug }) => ({ id, name, slug })),
    may_write: key.scopes === null,
    permissions: key.kind === 'inference' ? null : reachesOf(key),
    typed_until: isoTimeOrNull(principal.typedAt === undefined ? null : principal.typedAt + typedFor),
  };
}

/** What the role of a management key reaches, by permission: pages leave out what it does not. */
function reachesOf(key: Pick<ApiKey, 'role'>): Readonly<Record<string, Reach>> {
  return Object.fromEntries(permissions.map((one) => [one, reachOf(roleOfKey(key), one)]));
}

/** Workspaces that a page can choose from. */
const mostWorkspaces = 100;

const readLogin = createReader(
  Type.Object(
    { key: Type.Optional(text({ minLength: 1 })), code: Type.Optional(text({ minLength: 1 })) },
    { additionalProperties: false },
  ),
);

const path = '/ui/session';

/** Login, logout and the sessions of a key (docs/spec/dashboard.md#login). */
export function sessionRoutes(services: InterfaceServices): readonly Route[] {
  const handlers = new SessionHandlers(services);
  const route = (
    method: Route['method'],
    at: string,
    handle: (call: RouteCall) => Promise<RouteAnswer>,
  ): Route => ({ method, path: at, access: 'open', handle: (call) => unseen(handle(call)) });
  return [
    route('POST', path, (call) => handlers.login(call)),
    route('GET', path, (call) => handlers.show(call)),
    route('DELETE', path, (call) => handlers.logout(call)),
    route('POST', `${path}/principals`, (call) => handlers.add(call)),
    route('POST', `${path}/confirmation`, (call) => handlers.confirm(call)),
    route('GET', '/ui/sessions', (call) => handlers.list(call)),
    route('DELETE', '/ui/sessions', (call) => handlers.endAll(call)),
    route('DELETE', '/ui/sessions/{id}', (call) => handlers.end(call)),
  ];
}

/** Keeps an answer out of caches, refusals too. */
async function unseen(answer: Promise<RouteAnswer>): Promise<RouteAnswer> {
  const given = await answer;
  return given && { ...given, headers: { ...unstored, ...given.headers } };
}

class SessionHandlers {
  readonly #services: InterfaceServices;
  readonly #gate: SessionGate;
  readonly #limit = new LoginLimit();
  readonly #entries = new SessionEntries();

  constructor(services: InterfaceServices) {
    this.#services = services;
    this.#gate = new SessionGate(services);
  }

  async login(call: RouteCall): Promise<RouteAnswer> {
    const { request, server } = this.#arrival(call);
    requireOwnPage(request, server);
    requirePrivateWay(request, server);
    const { key, code } = readLogin(call.body, '');
    // A browser that logs in again ends what it had.
    const token = readCookie(request, server);
    const replaces = token === undefined ? undefined : tokenHash(token);
    const opened = await this.#counted(call, (from, rules) => {
      const place = { ...from, replaces };
      return code === undefined
        ? openSession(key ?? '', place, rules, this.#services)
        : redeemLink(code, place, rules, this.#services);
    });
    return this.#begun(call, opened);
  }

  /** Adds a key to the session, which gets new tokens by that. */
  async add(call: RouteCall): Promise<RouteAnswer> {
    const { request } = this.#arrival(call);
    const { session } = await this.#gate.admit(request);
    const { key } = readLogin(call.body, '');
    const opened = await this.#counted(call, (from, rules) => {
      const place = { ...from, replaces: session.id };
      return openSession(key ?? '', place, rules, this.#services, session.principals);
    });
    return this.#begun(call, opened);
  }

  /** Notes that the key which acts was typed again. */
  async confirm(call: RouteCall): Promise<RouteAnswer> {
    const { request } = this.#arrival(call);
    const { session, caller } = await this.#gate.admit(request);
    const { key = '' } = readLogin(call.body, '');
    const confirmed = await this.#counted(call, (_from, rules) =>
      confirmKey(key, session, caller.key.hash, rules, this.#services),
    );
    return { json: { data: await showSession(confirmed, request, this.#services) } };
  }

  async show(call: RouteCall): Promise<RouteAnswer> {
    const { request } = this.#arrival(call);
    const { session } = await this.#gate.admit(request);
    return { json: { data: await showSession(session, request, this.#services) } };
  }

  async logout(call: RouteCall): Promise<RouteAnswer> {
    const { session, actor, request, server } = await this.#entered(call);
    await endSessions(actor, [session], this.#entries, this.#services);
    return { json: { deleted: true }, headers: { 'set-cookie': setCookie('', request, server) } };
  }

  async list(call: RouteCall): Promise<RouteAnswer> {
    const { session, actor } = await this.#entered(call);
    const now = this.#services.clock.now();
    const all = await this.#services.storage.sessions.ofKey(actor.keyHash);
    const live = all.filter(({ endsAt, usedAt, idle }) => endsAt > now && usedAt + idle > now);
    const data = live.map((one) => ({
      id: shownId(one),
      current: one.id === session.id,
      browser: one.browser,
      address: one.address,
      created_at: isoTime(one.createdAt),
      used_at: isoTime(one.usedAt),
      ends_at: isoTime(one.endsAt),
    }));
    return { json: { data } };
  }

  async end(call: RouteCall): Promise<RouteAnswer> {
    const { actor } = await this.#entered(call);
    const all = await this.#services.storage.sessions.ofKey(actor.keyHash);
    const found = all.filter((one) => shownId(one) === call.params.id);
    if (found.length === 0) throw new HeadgateError('not_found', 'There is no such session.');
    await endSessions(actor, found, this.#entries, this.#services);
    return { json: { deleted: true } };
  }

  async endAll(call: RouteCall): Promise<RouteAnswer> {
    const { actor, request, server } = await this.#entered(call);
    const all = await this.#services.storage.sessions.ofKey(actor.keyHash);
    await endSessions(actor, all, this.#entries, this.#services);
    return { json: { deleted: true }, headers: { 'set-cookie': setCookie('', request, server) } };
  }

  #arrival(call: RouteCall) {
    return { request: call.reply.raw.req, server: this.#services.config.server };
  }

  async #entered(call: RouteCall) {
    const { request, server } = this.#arrival(call);
    // However busy a key is, its sessions can be ended.
    const isEnd = request.method === 'DELETE';
    const { session, caller } = await (isEnd ? this.#gate.identify(request) : this.#gate.admit(request));
    const actor = keyActor(caller, clientAddress(request, server.trustProxy), call.id);
    return { session, actor, request, server };
  }

  /** Runs a login; one that fails counts against its address and is noted in the audit log. */
  async #counted<Result>(
    call: RouteCall,
    open: (place: LoginPlace, rules: LoginRules) => Promise<Result>,
  ): Promise<Result> {
    const { request, server } = this.#arrival(call);
    const address = clientAddress(request, server.trustProxy);
    const { clock, refusals } = this.#services;
    const rules = {
      limits: server.dashboard.session,
      admitKey: (known: KnownKey) => this.#limit.admitKey(known, clock.now()),
      entries: this.#entries,
    };
    const end = this.#limit.admit(address, clock.now());
    try {
      const place = { address, userAgent: headerText(call, 'user-agent'), requestId: call.id };
      return await open(place, rules);
    } catch (error) {
      if (error instanceof HeadgateError && error.code === 'permission_denied') end(true, clock.now());
      if (error instanceof HeadgateError && error.code === 'authentication') {
        end(true, clock.now());
        void refusals.note({
          actor: {
            type: 'anonymous',
            key_hash: null,
            key_label: null,
            user_id: null,
            address: address ?? null,
          },
          accountId: null,
          action: 'session.create',
          object: { type: 'session', id: null, workspace_id: null },
          reason: error.type,
          requestId: call.id,
        });
      }
      throw error;
    } finally {
      end(false, clock.now());
    }
  }

  async #begun(call: RouteCall, { session, token, csrf }: OpenedSession): Promise<RouteAnswer> {
    const { request, server } = this.#arrival(call);
    const data = await showSession(session, request, this.#services);
    return {
      json: { data: { ...data, csrf } },
      headers: { 'set-cookie': setCookie(token, request, server) },
    };
  }
}
