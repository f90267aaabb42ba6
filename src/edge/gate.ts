import type { AuditActor } from '../core/audit-entry.ts';
import { HeadgateError } from '../core/errors.ts';
import { type Arrival, clientAddress } from '../http/client-address.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { Caller } from '../settlement/caller.ts';
import {
  type AuthenticationServices,
  authenticate,
  authenticateAgain,
  authenticateHash,
  bringsKey,
} from './authenticate.ts';
import { CallRate } from './call-rate.ts';
import { isNotForInference, needsManagementKey, requireRole } from './require-role.ts';
import type { KeyedRoute, Route } from './route.ts';

const managementCallsPerMinute = 60;

type Entered = Caller | undefined;

/** What decides who enters, and the log of callers that management routes refuse. */
type GateServices = AuthenticationServices & { readonly refusals: RefusalLog };

/** A request for a route, before it is answered. */
export interface Entering {
  readonly id: string;
  readonly route: Route;
  readonly arrival: Arrival;
  /** Whether a session of the dashboard let it in. */
  readonly bySession?: boolean;
  /** Called with the caller as soon as the key is known, also when the route then refuses it. */
  readonly onKnown?: (caller: Caller) => void;
}

/** Decides by the key of a request whether its route is open to it. */
export class Gate {
  readonly #services: GateServices;
  /** Calls of a management key (docs/spec/accounts.md#authentication). */
  readonly #rate = new CallRate(() => managementCallsPerMinute, 'A management key');

  constructor(services: GateServices) {
    this.#services = services;
  }

  /**
   * The caller of a request, before its body is read; undefined where the route needs none and there is none. At once
   * when the key is known.
   * @throws HeadgateError `authentication`, `permission_denied`, `platform_rate_limit` or what the route's `admit` throws.
   */
  enter(entering: Entering): Entered | Promise<Entered> {
    const { route, arrival } = entering;
    if (route.access === 'open') return undefined;
    if (route.access === 'optional') {
      return bringsKey(arrival) ? this.#identify(arrival) : undefined;
    }
    if (route.access === 'management') return this.#enterManagement(entering, route);
    const caller = authenticate(arrival, this.#services);
    return caller instanceof Promise
      ? caller.then((found) => this.#admit(found, route, entering))
      : this.#admit(caller, route, entering);
  }

  /**
   * A caller as known once the body is read, which a client can draw out for minutes.
   * @throws HeadgateError `authentication` when the key works no more.
   */
  enterAgain(caller: Caller, { route, arrival, id, bySession }: Entering): Caller | Promise<Caller> {
    const check = () =>
      bySession === true
        ? authenticateHash(caller.key.hash, arrival, this.#services)
        : authenticateAgain(caller, arrival, this.#services);
    return route.access === 'management' ? this.#noting({ id, route, arrival }, caller, check) : check();
  }

  async #enterManagement(entering: Entering, route: KeyedRoute): Promise<Caller> {
    const caller = await this.#noting(entering, undefined, () =>
      authenticate(entering.arrival, this.#services),
    );
    return this.#noting(entering, caller, () => this.#admit(caller, route, entering));
  }

  /** Runs a check of a management call and records it when it refuses with 401 or 403. The answer does not wait for that. */
  async #noting<Result>(
    { id, route, arrival }: Entering,
    caller: Caller | undefined,
    check: () => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof HeadgateError && (error.status === 401 || error.status === 403)) {
        const address = clientAddress(arrival, this.#services.config.server.trustProxy);
        void this.#services.refusals.note({
          actor: actorOf(caller, address),
          accountId: caller?.account.id ?? null,
          action: 'api.call',
          object: { type: 'route', id: `${route.method} ${route.path}`, workspace_id: null },
          reason: error.type,
          requestId: id,
        });
      }
      throw error;
    }
  }

  #admit(caller: Caller, route: KeyedRoute, { onKnown }: Entering): Caller {
    const { access, admit } = route;
    onKnown?.(caller);
    if (caller.key.kind === 'management') {
      if (access === 'inference') throw isNotForInference();
      requireRole(caller.key, route);
    } else if (access === 'management') {
      throw needsManagementKey();
    }
    if (access === 'management') this.#rate.admit(caller, this.#services.clock.now());
    admit?.(caller);
    return caller;
  }

  /** Undefined for a key that does not work: its sender is served as a stranger. */
  async #identify(arrival: Arrival): Promise<Entered> {
    try {
      return await authenticate(arrival, this.#services);
    } catch (error) {
      if (error instanceof HeadgateError && error.code === 'authentication') return undefined;
      throw error;
    }
  }
}

function actorType(caller: Caller | undefined): AuditActor['type'] {
  if (caller === undefined) return 'anonymous';
  return caller.key.origin === 'derived' ? 'workload' : `${caller.key.kind}_key`;
}

function actorOf(caller: Caller | undefined, address: string | undefined): AuditActor {
  return {
    type: actorType(caller),
    key_hash: caller?.key.hash ?? null,
    key_label: caller?.key.label ?? null,
    user_id: caller?.key.creatorUserId ?? null,
    address: address ?? null,
  };
}
