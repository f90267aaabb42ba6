import { HeadgateError } from '../core/errors.ts';
import type { Caller } from '../settlement/caller.ts';
import {
  type AuthenticationServices,
  authenticate,
  authenticateAgain,
  requireInferenceKey,
} from './authenticate.ts';
import type { Arrival } from './client-address.ts';
import { ManagementAccess } from './management-access.ts';
import type { KeyedRoute, Route } from './route.ts';

const managementCallsPerMinute = 60;

type Entered = Caller | undefined;

/** Decides by the key of a request whether its route is open to it. */
export class Gate {
  readonly #services: AuthenticationServices;
  readonly #management = new ManagementAccess(managementCallsPerMinute);

  constructor(services: AuthenticationServices) {
    this.#services = services;
  }

  /**
   * The caller of a request, before its body is read; undefined where the route needs none and there is none. At once
   * when the key is known.
   * @throws HeadgateError `authentication`, `permission_denied`, `platform_rate_limit` or what the route's `admit` throws.
   */
  enter(route: Route, arrival: Arrival): Entered | Promise<Entered> {
    if (route.access === 'open') return undefined;
    if (route.access === 'optional') {
      return arrival.headers.authorization === undefined ? undefined : this.#identify(arrival);
    }
    const caller = authenticate(arrival, this.#services);
    return caller instanceof Promise
      ? caller.then((found) => this.#admit(found, route))
      : this.#admit(caller, route);
  }

  /**
   * A caller as known once the body is read, which a client can draw out for minutes.
   * @throws HeadgateError `authentication` when the key works no more.
   */
  enterAgain(caller: Caller, arrival: Arrival): Caller | Promise<Caller> {
    return authenticateAgain(caller, arrival, this.#services);
  }

  #admit(caller: Caller, { access, admit }: KeyedRoute): Caller {
    if (access === 'inference') requireInferenceKey(caller);
    if (access === 'management') this.#management.admit(caller, this.#services.clock.now());
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
