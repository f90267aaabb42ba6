import { fitsNamePattern } from '../util/name-pattern.ts';
import type { Catalogue } from './catalogue.ts';
import type { AnyRequest } from './inference-request.ts';
import type { CanonicalRequest } from './request.ts';
import { resolveSlug } from './resolve-slug.ts';

/** What decides which slug a name stands for. */
export interface NameRules {
  readonly catalogue: Catalogue;
  /** Whose private models count; undefined means none. */
  readonly accountId: string | undefined;
  /** Slugs by names or patterns with one `*` (`compat.model_aliases`). */
  readonly aliases: Readonly<Record<string, string>>;
  /** Reads further names, in formats whose clients have names of their own. */
  readonly read?: ReadModelName;
}

/** A name as a client's format reads it. */
export interface ReadName {
  readonly slug: string;
  /** Words for features of a vendor that the name asks for, by vendor. */
  readonly betas?: Readonly<Record<string, string>>;
}

/** Reads a name that is neither a slug nor an alias. `isSlug` says whether a text is a slug here. */
export type ReadModelName = (name: string, isSlug: (text: string) => boolean) => ReadName;

/**
 * The request with slugs in place of the names clients of another service send (docs/spec/messages.md#models): a slug of
 * the catalogue is left alone, then operators' aliases count, then the names of the client's own format. The same object where nothing is
 * to replace.
 */
export function resolveNames(request: AnyRequest, rules: NameRules): AnyRequest {
  const names = request.models.map((name) => resolveName(name, rules));
  if (names.every(({ slug }, index) => slug === request.models[index])) return request;
  const spellings = new Map(request.spellings);
  const renamed = new Set<string>();
  for (const [index, { slug }] of names.entries()) {
    const written = request.models[index] ?? slug;
    if (slug === written) continue;
    renamed.add(slug);
    spellings.set(slug, request.spellings?.get(written) ?? written);
  }
  const models = [...new Set(names.map(({ slug }) => slug))];
  const canonical = names.reduce((so, { betas }) => withBetas(so, betas), request.canonical);
  return { ...request, canonical, models, spellings, renamed };
}

/** The slug that a name stands for: the name itself, where it is a slug or unknown. */
export function resolveName(name: string, rules: NameRules): ReadName {
  // Nearly every name is a slug, and one lookup is enough to see that.
  if (rules.catalogue.models.has(name) || isSlug(name, rules)) return { slug: name };
  const alias = aliasOf(name, rules.aliases);
  if (alias !== undefined) return { slug: alias };
  const read = rules.read?.(name, (text) => isSlug(text, rules));
  if (read === undefined || read.slug === name) return { slug: name };
  // A name without its marks may be an alias.
  return { ...read, slug: aliasOf(read.slug, rules.aliases) ?? read.slug };
}

function isSlug(name: string, { catalogue, accountId }: NameRules): boolean {
  return resolveSlug(name, catalogue, accountId).outcome !== 'unknown';
}

/** The exact alias, else that of the longest pattern. */
function aliasOf(name: string, aliases: NameRules['aliases']): string | undefined {
  if (Object.hasOwn(aliases, name)) return aliases[name];
  const lower = name.toLowerCase();
  let best: string | undefined;
  for (const pattern in aliases) {
    if ((best?.length ?? -1) < pattern.length && fitsNamePattern(pattern.toLowerCase(), lower))
      best = pattern;
  }
  return best === undefined ? undefined : aliases[best];
}

function withBetas(canonical: CanonicalRequest, wanted: ReadName['betas'] = {}): CanonicalRequest {
  if (canonical.kind !== 'chat') return canonical;
  let betas = canonical.betas;
  for (const [vendor, word] of Object.entries(wanted)) {
    const words = betas?.[vendor] ?? [];
    if (!words.includes(word)) betas = { ...betas, [vendor]: [...words, word] };
  }
  return betas === canonical.betas ? canonical : { ...canonical, betas };
}
