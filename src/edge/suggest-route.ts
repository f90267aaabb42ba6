import { apiBase } from './paths.ts';
import type { Route } from './route.ts';

/** The methods at a path, such as `GET, POST`; undefined where there is no route. */
export type MethodsAt = (path: string) => string | undefined;

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
export function suggestRoute(
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
