/** Turns a name as a request spells it into the gateway's own `service` form. */
export type Speller = (name: string) => string;

/**
 * Reads the operator's extra words for the `service` prefix (docs/spec/requests.md#prefix-aliases): with the alias
 * `word`, `word:web_search` is `service:web_search`.
 * @param separator What follows the prefix: a colon in tool kinds, a slash in model slugs.
 */
export function createSpeller(aliases: readonly string[], separator: ':' | '/'): Speller {
  const prefixes = aliases.map((alias) => alias.toLowerCase() + separator);
  return (name) => {
    const start = name.slice(0, name.indexOf(separator) + 1).toLowerCase();
    return prefixes.includes(start) ? `service${separator}${name.slice(start.length)}` : name;
  };
}
