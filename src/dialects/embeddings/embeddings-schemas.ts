import {
  anyObject,
  anyOf,
  choice,
  flag,
  integer,
  list,
  map,
  named,
  number,
  optional,
  orNull,
  type Static,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { ServiceMetadata } from '../answer-schemas.ts';
import { commonMembers, part } from '../gateway/common-settings.ts';

const ContentInputSchema = Type.Object({ content: list(anyObject(), { minItems: 1 }) });
const tokens = list(integer({ minimum: 0 }), { minItems: 1 });

const { provider } = commonMembers;

const members = {
  input: part(anyOf(text({ minLength: 1 }), tokens, list(anyOf(text(), tokens, ContentInputSchema)))),
  model: optional(text({ minLength: 1 })),
  dimensions: optional(integer({ minimum: 1, maximum: 65_536 })),
  encoding_format: optional(choice('float', 'base64')),
  input_type: optional(text({ minLength: 1, maxLength: 64 })),
  provider,
  user: optional(text({ maxLength: 256 })),
  session_id: optional(text({ maxLength: 256 })),
  stream: optional(flag()),
};

/** The body of `POST /embeddings` (docs/spec/embeddings.md#request). */
export const EmbeddingsRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type EmbeddingsRequest = Static<typeof EmbeddingsRequestSchema>;

/** The members of the body that are known here. */
export const embeddingsRequestFields = Object.keys(members) as readonly (keyof EmbeddingsRequest)[];

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
      cost: Type.Optional(number()),
      cost_details: Type.Optional(map(orNull(number()))),
      is_byok: flag(),
    }),
    service_metadata: Type.Optional(ServiceMetadata),
  }),
);
