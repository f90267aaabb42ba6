import { choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf } from './parts.ts';

/** What a provider said of its models. */
export const ProviderCheckAnswer = answerOf(
  'ProviderCheck',
  Type.Object({
    provider: text(),
    ok: flag({ description: 'False where it was asked and gave no list' }),
    checked: flag({ description: 'Whether it was asked: not every dialect has a list' }),
    detail: text({ description: 'What came of it, in words' }),
    credential: orNull(choice('accepted', 'refused')),
    listed: orNull(integer({ description: 'How many models it lists' })),
    unlisted: list(
      Type.Object({
        model: text(),
        upstream_model: text({ description: 'What the catalogue calls it at the provider' }),
      }),
    ),
  }),
);

/** How providers are reached. */
export const ProviderConnectionList = named(
  'ProviderConnectionList',
  Type.Object({
    data: list(
      Type.Object({
        slug: text(),
        adapter: text(),
        base_host: orNull(text()),
        credentials: integer({ description: 'How many credentials of the operator there are' }),
        can_be_checked: flag(),
      }),
    ),
  }),
);
