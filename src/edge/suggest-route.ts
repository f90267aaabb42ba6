import { apiBase } from './paths.ts';
import type { Route } from './route.ts';

/** The methods at a path, such as `GET, POST`; undefined where there is no route. */
export type MethodsAt = (path: string) => string | undefined;

/** What clients of other interfaces look for at paths that end like this, and where it is here. */
const purposes: readonly (readonly [end: RegExp, path: string])[] = [
  [/\/(completions|chat)$/, `${apiBase}/chat/completions`],
  [/\/(messages|generate|responses\/.+)$/, `${apiBase}/responses`],
  [/\/(auth\/key|key\/.+|me|user)$/, `${apiBase}/key`],
  [/\/(engines|deployments)(\/.*)?$/, `${apiBase}/models`],
  [/\/(usage|costs|billing|organization)(\/.*)?$/, `${apiBase}/activity`],
];
const mostListed = 6;

/**
 * Says what to call instead of a path that has no route: the same path below the right base address, a path for the same
 * purpose, or the paths beside it. A sentence.
 */
export function suggestRoute(path: string, routes: readonly Route[], methodsAt: MethodsAt): string {
  const rebased = sameBelowBase(path, methodsAt);
  if (rebased !== undefined) {
    return `Use ${methodsAt(rebased)} ${rebased}: the base address of this interface ends in ${apiBase}.`;
  }
  const served = purposes.find(([end, target]) => end.test(path) && methodsAt(target) !== undefined)?.[1];
  if (served !== undefined) return `For this purpose there is ${methodsAt(served)} ${served}.`;
  const beside = besides(path, routes);
  if (beside.length > 0) return `There is ${beside.join('; ')}.`;
  return 'GET /docs describes every path.';
}

/** The path with its first segments replaced by the base, where that has a route. */
function sameBelowBase(path: string, methodsAt: MethodsAt): string | undefined {
  const segments = path.split('/');
  for (let index = 1; index < segments.length; index += 1) {
    const rest = segments.slice(index).join('/');
    if (rest === '') return undefined;
    for (const candidate of [`${apiBase}/${rest}`, `/${rest}`]) {
      if (candidate !== path && methodsAt(candidate) !== undefined) return candidate;
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
