import { anyOf, choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { nano } from './nano.ts';
import { answerOf } from './parts.ts';

const LiveRowSchema = named(
  'LiveRequest',
  Type.Object({
    id: text(),
    process: text({ description: 'Its host and process id' }),
    account_id: text(),
    key_hash: text(),
    workspace_id: orNull(text()),
    requested_model: text(),
    model: orNull(text()),
    provider: orNull(text()),
    attempt: integer(),
    phase: choice('admitted', 'waiting', 'streaming', 'tool', 'settling', 'ended'),
    streamed: flag(),
    began_at: text(),
    first_token_ms: orNull(integer()),
    output_tokens: integer({ description: 'As estimated until the provider says' }),
    ceiling_nano: orNull(nano),
    outcome: orNull(choice('ok', 'failed', 'cancelled', 'refused', 'unknown')),
    cost_nano: orNull(nano),
    ended_at: orNull(text()),
  }),
);

/** What `snapshot` holds: all that runs now. */
export const LiveSnapshot = named(
  'LiveSnapshot',
  Type.Object({
    as_of: text(),
    running: integer(),
    streams: integer(),
    done: integer({ description: 'Ended well within the last minute, while somebody watched' }),
    failed: integer(),
    rows: list(LiveRowSchema),
  }),
);

/** What the events of the stream hold. */
export const LiveData = anyOf(
  LiveSnapshot,
  LiveRowSchema,
  Type.Object({ count: integer() }),
  Type.Object({ reason: text() }),
);

/** A request that is being ended. */
export const CancelledCall = answerOf('CancelledRequest', Type.Object({ id: text() }));
