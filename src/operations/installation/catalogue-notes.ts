import type { Catalogue, Model } from '../../core/catalogue.ts';

/** Models that a note names. */
const mostNamed = 5;

/** What an operator may want to know of a catalogue that is correct: settings that nobody made, and what cannot be done here. */
export function catalogueNotes(
  { models }: Pick<Catalogue, 'models'>,
  { moderates }: { readonly moderates: boolean },
): readonly string[] {
  const all = [...models.values()];
  return [
    note(
      all.filter(({ undeclared }) => undeclared?.input === true),
      'input_modalities are not declared: pictures are passed on untested, files are read here',
    ),
    note(
      all.filter(({ undeclared }) => undeclared?.output === true),
      'output_modalities are not declared: text is expected',
    ),
    note(
      moderates ? [] : all.filter(isModerated),
      'is_moderated is set, but plugins.moderation is not: only the provider checks what is sent',
    ),
  ].flat();
}

function isModerated({ endpoints }: Model): boolean {
  return endpoints.some((endpoint) => endpoint.isModerated === true);
}

function note(models: readonly Model[], text: string): readonly string[] {
  if (models.length === 0) return [];
  const named = models.slice(0, mostNamed).map(({ id }) => id);
  const rest = models.length - named.length;
  return [`${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}: ${text}`];
}
