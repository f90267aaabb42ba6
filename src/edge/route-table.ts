import { HeadgateError } from '../core/errors.ts';
import { apiBase } from './paths.ts';
import type { Route } from './route.ts';
import { suggestRoute } from './suggest-route.ts';

/** A route that serves a request, with the parameters of its path. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** What there is at a path. */
interface Place {
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly params: FoundRoute['params'];
}

type RoutesByMethod = Place['byMethod'];

interface Pattern {
  readonly segments: readonly string[];
  readonly routes: RoutesByMethod;
}

const noParams: FoundRoute['params'] = {};

/**
 * Finds the route of a request: paths without parameters directly, others segment by segment. What is below the base of the
 * interface is also found below each of its aliases.
 */
export class RouteTable {
  readonly #routes: readonly Route[];
  /** Other bases, each with a slash at its end. */
  readonly #aliases: readonly string[];
  readonly #plain = new Map<string, RoutesByMethod>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[], basePaths: readonly string[] = []) {
    this.#routes = routes;
    this.#aliases = basePaths.filter((base) => base !== apiBase).map((base) => `${base}/`);
    for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
      const byMethod = new Map<string, Route>(ofPath.map((route) => [route.method, route]));
      const get = byMethod.get('GET');
      if (get !== undefined) byMethod.set('HEAD', get);
      if (path.includes('{')) this.#patterns.push({ segments: path.split('/'), routes: byMethod });
      else this.#plain.set(path, byMethod);
    }
  }

  /**
   * The route of a method and a path, which may be percent-encoded.
   * @throws HeadgateError `invalid_request` for a path whose encoding is wrong, `not_found` for one that nothing is at, and
   *   `method_not_allowed`.
   */
  find(method: string, path: string): FoundRoute {
    const place = this.#look(path);
    if (place === undefined) {
      const advice = suggestRoute({ method, path }, this.#routes, (other) => this.#methodsAt(other));
      throw new HeadgateError('not_found', `There is nothing at ${method} ${path}. ${advice}`);
    }
    const route = place.byMethod.get(method);
    if (route !== undefined) return { route, params: place.params };
    const allow = [...place.byMethod.keys()].join(', ');
    throw new HeadgateError('method_not_allowed', `There is no ${method} at ${path}, but ${allow}.`, {
      headers: { allow },
    });
  }

  #methodsAt(path: string): string | undefined {
    const methods = this.#lookAt(path)?.byMethod.keys();
    return methods && [...methods].filter((method) => method !== 'HEAD').join(', ');
  }

  #look(path: string): Place | undefined {
    const place = this.#lookAt(path);
    if (place !== undefined) return place;
    const base = this.#aliases.find((alias) => path.startsWith(alias));
    return base === undefined ? undefined : this.#lookAt(`${apiBase}/${path.slice(base.length)}`);
  }

  #lookAt(path: string): Place | undefined {
    const plain = this.#plain.get(path);
    if (plain !== undefined) return { byMethod: plain, params: noParams };
    const segments = path.split('/').map(decode);
    const decoded = this.#plain.get(segments.join('/'));
    if (decoded !== undefined) return { byMethod: decoded, params: noParams };
    for (const { segments: expected, routes } of this.#patterns) {
      const params = match(expected, segments);
      if (params !== undefined) return { byMethod: routes, params };
    }
    return undefined;
  }
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (expected.startsWith('{')) params[expected.slice(1, -1)] = segment;
    else if (expected !== segment) return undefined;
  }
  return params;
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new HeadgateError('invalid_request', 'The request cannot be read.', { cause });
  }
}
