import {
  anyObject,
  integer,
  list,
  named,
  optional,
  type Static,
  Type,
  text,
  word,
} from '../../../util/json-schema.ts';
import { ServiceMetadata } from '../../answer-schemas.ts';
import { commonMembers, part } from '../../gateway/common-settings.ts';
import { Usage } from '../answer/response-schema.ts';
import { InputSchema } from '../request/input.ts';

const { model, models, stream, store, service_tier, session_id, user, safety_identifier } = commonMembers;
const { prompt_cache_key, provider, route } = commonMembers;

const members = {
  ...{ model, models, stream, store, service_tier, session_id, user, safety_identifier },
  ...{ prompt_cache_key, provider, route },
  input: part(InputSchema),
  instructions: optional(text()),
  previous_response_id: Type.Optional(Type.Unknown()),
  conversation: Type.Optional(Type.Unknown()),
};

/** The body of `POST /responses/compact` (docs/spec/compaction.md). Unknown members are accepted. */
export const CompactionRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type CompactionRequest = Static<typeof CompactionRequestSchema>;

/** The members of the body that have a meaning. */
export const compactionRequestFields = Object.keys(members) as readonly (keyof CompactionRequest)[];

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
