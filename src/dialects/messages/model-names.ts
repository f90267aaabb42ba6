import type { ReadModelName } from '../../core/model-names.ts';

/** Before slugs of models that are not Claude, for clients that show only names with that word. */
export const claudeVia = 'claude-via/';

/** Whether such clients show a name without the prefix. */
export function isShownAnyway(name: string): boolean {
  return /claude|anthropic/i.test(name);
}

const longContext = '[1m]';
const longContextBetas = { anthropic: 'context-1m-2025-08-07' };

/** Reads the names that clients of this format send (docs/spec/messages.md#models). */
export const readModelName: ReadModelName = (name, isSlug) => {
  if (name.endsWith(longContext)) {
    const plain = name.slice(0, -longContext.length);
    const { slug } = isSlug(plain) ? { slug: plain } : readModelName(plain, isSlug);
    return { slug, betas: longContextBetas };
  }
  if (name.startsWith(claudeVia)) return { slug: name.slice(claudeVia.length) };
  return { slug: claudeSlug(name, isSlug) ?? name };
};

/** The slug of a bare name of Claude, whose versions slugs write with a dot and without a date. */
function claudeSlug(name: string, isSlug: (text: string) => boolean): string | undefined {
  if (!/^claude-/i.test(name) || name.includes('/')) return undefined;
  const undated = name.replace(/-\d{8}$/, '');
  const dotted = (text: string) => text.replace(/(\d)-(\d{1,2})(?=$|-)/, '$1.$2');
  const spellings = [name, dotted(name), undated, dotted(undated)];
  return spellings.map((spelling) => `anthropic/${spelling}`).find(isSlug);
}
