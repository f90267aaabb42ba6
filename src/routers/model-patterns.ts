import type { Model } from '../core/catalogue.ts';

/**
 * Whether a model fits one of the patterns of a router's settings (docs/spec/routers.md#patterns): each is compared with
 * the whole id without variant, whatever the case, and `*` stands for any run of characters.
 */
export function fitsAny(patterns: readonly string[], { id }: Pick<Model, 'id'>): boolean {
  const name = (id.split(':', 1)[0] ?? id).toLowerCase();
  return patterns.some((pattern) => fits(pattern.toLowerCase(), name));
}

/** In steps that never go back, because a pattern may have hundreds of stars. */
function fits(pattern: string, name: string): boolean {
  const [start = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return pattern === name;
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false;
  const last = name.length - end.length;
  let at = start.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > last) return false;
    at = found + part.length;
  }
  return true;
}
