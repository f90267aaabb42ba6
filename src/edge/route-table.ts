import { HeadgateError } from '../core/errors.ts';
import { apiBase, type Route } from './route.ts';

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

/** The methods at a path, such as `GET, POST`; undefined where there is no route. */
type MethodsAt = (path: string) => string | undefined;

/** What clients of other interfaces look for at paths that end like this, and where it is here; the first one counts. */
const purposes: readonly (readonly [end: RegExp, path: string])[] = [
  // Answers are not kept, but what they cost and who gave them is.
  [/\/(responses|generations|chat\/completions)\/(resp|gen)[\w-]+$/, `${apiBase}/generation`],
  [/\/key\/(generate|update|delete|regenerate|list)$/, `${apiBase}/keys`],
  [/(:(stream)?generatecontent|\/(completions|complete|chat|generate))$/i, `${apiBase}/chat/completions`],
  [/\/(images\/(generations|edits|variations)|audio\/\w+|speech)$/, `${apiBase}/chat/completions`],
  [/\/messages$/, `${apiBase}/messages`],
  [/\/responses\/.+$/, `${apiBase}/responses`],
  [/(:(batch)?embedcontents?|\/(embed|embedding))$/i, `${apiBase}/embeddings`],
  [/\/(auth\/key|key\/.+|me|whoami|user|user\/info)$/, `${apiBase}/key`],
  [/\/(engines|deployments)(\/.*)?$|\/(tags|model_group\/info)$/, `${apiBase}/models`],
  [/\/(balance|credit_grants|credits\/.+)$/, `${apiBase}/credits`],
  [/\/(usage|costs|billing|spend|organization)(\/.*)?$/, `${apiBase}/activity`],
  [/\/(healthz?|livez|ping)$/, '/health/live'],
  [/\/(readyz?|readiness)$/, '/health/ready'],
];
const mostListed = 6;

/**
 * Says what to call instead of a path that has no route: the same path below the right base address, a path for the same
 * purpose, or the paths beside it. A sentence.
 */
function suggestRoute(
  { method, path }: { readonly method: string; readonly path: string },
  routes: readonly Route[],
  methodsAt: MethodsAt,
): string {
  const takesMethod: MethodsAt = (at) => {
    const methods = methodsAt(at);
    return methods?.split(', ').includes(method) ? methods : undefined;
  };
  const based = sameBelowBase(path, takesMethod, baseWords);
  if (based !== undefined) return based;
  const served = purposes.find(([end, target]) => end.test(path) && methodsAt(target) !== undefined)?.[1];
  if (served !== undefined) return `For this purpose there is ${methodsAt(served)} ${served}.`;
  const rebased = sameBelowBase(path, methodsAt, anyWord);
  if (rebased !== undefined) return rebased;
  const beside = besides(path, routes);
  if (beside.length > 0) return `There is ${beside.join('; ')}.`;
  return 'GET /docs describes every path.';
}

/** Segments that stand before paths at other addresses, and say nothing of what is asked. */
const baseWords = /^(api|beta|v\d\w*)$/i;
const anyWord = /^/;

/** Names the path with its first segments replaced by the base, where that has a route and they are such words. */
function sameBelowBase(path: string, methodsAt: MethodsAt, words: RegExp): string | undefined {
  const segments = path.split('/');
  for (let index = 1; index < segments.length; index += 1) {
    if (index > 1 && !words.test(segments[index - 1] ?? '')) return undefined;
    const rest = segments.slice(index).join('/');
    if (rest === '') return undefined;
    for (const candidate of [`${apiBase}/${rest}`, `/${rest}`]) {
      const methods = candidate === path ? undefined : methodsAt(candidate);
      if (methods !== undefined) {
        return `Use ${methods} ${candidate}: the base address of this interface ends in ${apiBase}.`;
      }
    }
  }
  return undefined;
}

/** Routes whose path begins with the same word below the base, with their methods. */
function besides(path: string, routes: readonly Route[]): readonly string[] {
  const word = path.slice(apiBase.length + 1).split('/')[0];
  if (!path.startsWith(`${apiBase}/`) || word === undefined || word === '') return [];
  const start = `${apiBase}/${word}`;
  const near = routes.filter((route) => route.path === start || route.path.startsWith(`${start}/`));
  const byPath = Map.groupBy(near, (route) => route.path);
  return [...byPath]
    .slice(0, mostListed)
    .map(([at, those]) => `${those.map(({ method }) => method).join(', ')} ${at}`);
}
