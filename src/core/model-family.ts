import type { Model } from './catalogue.ts';

/** The group whose newest model a latest alias means, as author/family; undefined for a model without one. */
export function familyOf({ id, family }: Pick<Model, 'id' | 'family'>): string | undefined {
  if (family === undefined || family.includes('/')) return family;
  return `${id.split('/')[0]}/${family}`;
}
