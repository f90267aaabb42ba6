import { anyObject, integer, list, named, Type, text, word } from '../../util/json-schema.ts';
import { ServiceMetadata } from './errors.ts';
import { Usage } from './response.ts';

/** The answer of `POST /responses/compact`: messages of the user as they were, then one sealed summary. */
export const Compaction = named(
  'Compaction',
  Type.Object({
    id: text(),
    object: word(['response.compaction']),
    created_at: integer(),
    model: Type.Optional(text()),
    output: list(anyObject()),
    usage: Usage,
    service_metadata: Type.Optional(ServiceMetadata),
  }),
);
