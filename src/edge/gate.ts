import { HeadgateError } from '../core/errors.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller } from '../settlement/caller.ts';
import { authenticate, authenticateAgain, requireInferenceKey } from './authenticate.ts';
import { ManagementAccess } from './management-access.ts';
import type { KeyedRoute, Route } from './route.ts';

const managementCallsPerMinute = 60;

type Entered = Caller | undefined;

/** Decides by the key of a request whether its route is open to it. */
export class Gate {
  readonly #callers: CallerDirectory;
  readonly #clock: Clock;
  readonly #management = new ManagementAccess(managementCallsPerMinute);

  constructor({ callers, clock }: { readonly callers: CallerDirectory; readonly clock: Clock }) {
    this.#callers = callers;
    this.#clock = clock;
  }

  /**
   * The caller of a request, before its body is read; undefined where the route needs none and there is none. At once
   * when the key is known.
   * @throws HeadgateError `authentication`, `permission_denied`, `platform_rate_limit` or what the route's `admit` throws.
   */
  enter(route: Route, authorization: string | undefined): Entered | Promise<Entered> {
    if (route.access === 'open') return undefined;
    if (route.access === 'optional') {
      return authorization === undefined ? undefined : this.#identify(authorization);
    }
    const caller = authenticate(authorization, this.#callers, this.#clock);
    return caller instanceof Promise
      ? caller.then((found) => this.#admit(found, route))
      : this.#admit(caller, route);
  }

  /**
   * A caller as known once the body is read, which a client can draw out for minutes.
   * @throws HeadgateError `authentication` when the key works no more.
   */
  enterAgain(caller: Caller): Caller | Promise<Caller> {
    return authenticateAgain(caller, this.#callers, this.#clock);
  }

  #admit(caller: Caller, { access, admit }: KeyedRoute): Caller {
    if (access === 'inference') requireInferenceKey(caller);
    if (access === 'management') this.#management.admit(caller, this.#clock.now());
    admit?.(caller);
    return caller;
  }

  /** Undefined for a key that does not work: its sender is served as a stranger. */
  async #identify(authorization: string): Promise<Entered> {
    try {
      return await authenticate(authorization, this.#callers, this.#clock);
    } catch (error) {
      if (error instanceof HeadgateError && error.code === 'authentication') return undefined;
      throw error;
    }
  }
}
