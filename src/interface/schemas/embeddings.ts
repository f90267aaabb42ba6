import { flag, integer, list, map, named, number, orNull, Type, text, word } from '../../util/json-schema.ts';
import { ServiceMetadata } from './errors.ts';

const maybe = Type.Optional;

/** The answer of `POST /embeddings`. */
export const EmbeddingsAnswer = named(
  'Embeddings',
  Type.Object({
    object: word(['list']),
    id: text(),
    model: text(),
    data: list(
      Type.Object({
        object: word(['embedding']),
        index: integer(),
        embedding: Type.Unknown(),
      }),
    ),
    usage: Type.Object({
      prompt_tokens: integer(),
      total_tokens: integer(),
      cost: maybe(number()),
      cost_details: maybe(map(orNull(number()))),
      is_byok: flag(),
    }),
    service_metadata: maybe(ServiceMetadata),
  }),
);
