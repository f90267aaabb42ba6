import type { ProviderRow } from './provider-row.ts';

/** Names of authors that hosts of open models write differently. */
const authorSpellings: Readonly<Record<string, string>> = {
  'deepseek-ai': 'deepseek',
  'zai-org': 'z-ai',
};

/** Model names that identify their author beyond doubt. */
const authorsByName: readonly (readonly [RegExp, string])[] = [
  [/^gpt-oss-/, 'openai'],
  [/^deepseek-(v\d|r\d)/, 'deepseek'],
  [/^kimi-/, 'moonshotai'],
  [/^gemini-/, 'google'],
  [/^claude-/, 'anthropic'],
];

/**
 * The public id of a provider's model. Two providers share an id, and so serve one model, only when their names have
 * the same author and name; otherwise the id stays in the provider's own namespace.
 */
export function publicModelId(row: ProviderRow, name: string): string {
  const plain = name.toLowerCase();
  const slash = plain.indexOf('/');
  if (slash > 0) {
    const author = plain.slice(0, slash);
    return `${authorSpellings[author] ?? author}/${plain.slice(slash + 1).replaceAll('/', '-')}`;
  }
  const known = authorsByName.find(([pattern]) => pattern.test(plain))?.[1];
  return `${row.author ?? known ?? row.slug}/${plain}`;
}
