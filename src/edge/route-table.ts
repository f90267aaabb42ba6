import { HeadgateError } from '../core/errors.ts';
import type { Route } from './route.ts';

/** A route that serves a request, with the parameters of its path. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

type RoutesByMethod = Readonly<Record<string, Route | undefined>>;

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
      const byMethod = Object.fromEntries(ofPath.map((route) => [route.method, route]));
      if (byMethod.GET !== undefined) byMethod.HEAD = byMethod.GET;
      if (path.includes('{')) this.#patterns.push({ segments: path.split('/'), routes: byMethod });
      else this.#plain.set(path, byMethod);
    }
  }

  /**
   * The route of a method and a path, which may be percent-encoded; undefined when there is none.
   * @throws HeadgateError `invalid_request` for a path whose encoding is wrong.
   */
  find(method: string, path: string): FoundRoute | undefined {
    const plain = this.#plain.get(path);
    if (plain !== undefined) return found(plain[method], noParams);
    const segments = path.split('/').map(decode);
    const decoded = this.#plain.get(segments.join('/'));
    if (decoded !== undefined) return found(decoded[method], noParams);
    for (const pattern of this.#patterns) {
      const params = match(pattern.segments, segments);
      if (params !== undefined) return found(pattern.routes[method], params);
    }
    return undefined;
  }
}

function found(route: Route | undefined, params: FoundRoute['params']): FoundRoute | undefined {
  return route && { route, params };
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
