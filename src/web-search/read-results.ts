import { isObject, type JsonObject } from '../util/json.ts';
import type { SearchResult } from './search-engine.ts';

/** The objects of a list; nothing of what is no list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text; empty for what is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Excerpts of one page as one text. */
export function joinExcerpts(value: unknown): string {
  const excerpts = Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [];
  return excerpts.join('\n[...]\n');
}

/** A result, if it has an address of the web. */
export function resultOf(
  url: unknown,
  title: unknown,
  content: string,
  publishedDate?: unknown,
): readonly SearchResult[] {
  const address = textOf(url);
  if (!/^https?:\/\//i.test(address)) return [];
  const date = textOf(publishedDate);
  return [{ url: address, title: textOf(title), content, ...(date !== '' && { publishedDate: date }) }];
}
