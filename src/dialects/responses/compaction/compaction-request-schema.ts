import { optional, type Static, Type, text } from '../../../util/json-schema.ts';
import { commonMembers, part } from '../../gateway/common-members.ts';
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
