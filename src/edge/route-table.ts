import { HeadgateError } from '../core/errors.ts';
import type { Route } from './route.ts';

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

/** Finds the route of a request: paths without parameters at once, others segment by segment. */
export class RouteTable {
  readonly #plain = new Map<string, RoutesByMethod>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
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
      throw new HeadgateError('not_found', `There is nothing at ${method} ${path}.`);
    }
    const route = place.byMethod.get(method);
    if (route !== undefined) return { route, params: place.params };
    const allow = [...place.byMethod.keys()].join(', ');
    throw new HeadgateError('method_not_allowed', `There is no ${method} at ${path}, but ${allow}.`, {
      headers: { allow },
    });
  }

  #look(path: string): Place | undefined {
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
