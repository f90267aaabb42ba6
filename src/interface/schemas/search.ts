import { choice, list, named, orNull, Type, text } from '../../util/json-schema.ts';

/** What a text leads to. */
export const SearchResults = named(
  'SearchResults',
  Type.Object({
    data: list(
      Type.Object({
        kind: choice(
          'generation',
          'session',
          'key',
          'model',
          'provider',
          'workspace',
          'credential',
          'preset',
          'guardrail',
        ),
        id: text(),
        workspace_id: orNull(text({ description: 'Of a preset, whose id is unique only there' })),
        name: text(),
        detail: orNull(text({ description: 'What it belongs to' })),
      }),
    ),
  }),
);
