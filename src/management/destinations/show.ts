import { destinationTypes } from '../../destinations/destination-types.ts';
import type { Destination } from '../../ports/destinations.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  anyObject,
  choice,
  flag,
  integer,
  list,
  marked,
  named,
  number,
  orNull,
  Type,
  text,
} from '../../util/json-schema.ts';
import { answerOf, closed, pageOf } from '../parts.ts';

const FilterRulesSchema = named(
  'DestinationFilterRules',
  Type.Object(
    {
      enabled: Type.Optional(flag({ description: 'Whether the rules count; true by default' })),
      groups: list(
        Type.Object(
          {
            logic: Type.Optional(choice('and', 'or')),
            rules: list(
              Type.Object(
                {
                  field: text({ description: 'Such as model, session_id or total_cost' }),
                  operator: text({ description: 'Such as equals, contains, regex or gt' }),
                  value: Type.Optional({ type: ['string', 'number'] }),
                },
                closed,
              ),
            ),
          },
          closed,
        ),
        { description: 'All groups have to be passed' },
      ),
    },
    closed,
  ),
);

const settings = {
  enabled: flag(),
  privacy_mode: flag({ description: 'Whether what was said stays here' }),
  broadcast_generation_cost: flag({ description: 'Whether amounts are sent' }),
  broadcast_generation_identity: flag({ description: 'Whether the user and the key are sent' }),
  broadcast_generation_request_context: flag({
    description: 'Whether referer, title, origin and user agent are sent',
  }),
  sampling_rate: number({
    minimum: 0.0001,
    maximum: 1,
    description: 'The part of sessions that is sent; a session is sent whole',
  }),
};

const hash = marked(text({ pattern: '^[a-f0-9]{64}$' }), {
  wording: { form: '64 lowercase hexadecimal digits' },
});
const keyHashes = orNull(list(hash, { minItems: 1, maxItems: 100 }));

/** A destination as it is shown. */
const DestinationSchema = named(
  'Destination',
  Type.Object({
    id: text(),
    workspace_id: text(),
    type: text(),
    name: text(),
    ...settings,
    api_key_hashes: orNull(list(text())),
    filter_rules: orNull(FilterRulesSchema),
    config: anyObject(),
    created_at: text(),
    updated_at: text(),
    state: orNull(
      named(
        'DestinationState',
        Type.Object({
          state: choice('ok', 'failing', 'paused'),
          status: orNull(integer({ description: 'What it answered last' })),
          reason: orNull(text()),
          succeeded_at: orNull(text()),
          at: text(),
        }),
      ),
    ),
  }),
);

/** A page of destinations. */
export const DestinationList = pageOf('DestinationList', DestinationSchema);

/** One destination. */
export const DestinationAnswer = answerOf('DestinationAnswer', DestinationSchema);

const written = {
  enabled: Type.Optional(settings.enabled),
  privacy_mode: Type.Optional(settings.privacy_mode),
  broadcast_generation_cost: Type.Optional(settings.broadcast_generation_cost),
  broadcast_generation_identity: Type.Optional(settings.broadcast_generation_identity),
  broadcast_generation_request_context: Type.Optional(settings.broadcast_generation_request_context),
  sampling_rate: Type.Optional(settings.sampling_rate),
  api_key_hashes: Type.Optional(keyHashes),
  filter_rules: Type.Optional(orNull(FilterRulesSchema)),
};
const name = text({ minLength: 1, maxLength: 100 });

/** The body of `POST /observability/destinations`. */
export const CreateDestination = marked(
  Type.Object(
    { type: text(), name, config: anyObject(), workspace_id: Type.Optional(text()), ...written },
    closed,
  ),
  { name: 'CreateDestination', secret: true },
);

/** The body of `PATCH /observability/destinations/{id}`: absent is unchanged, also within `config`. */
export const UpdateDestination = marked(
  Type.Object({ name: Type.Optional(name), config: Type.Optional(anyObject()), ...written }, closed),
  { name: 'UpdateDestination', secret: true },
);

/** A destination as the management interface shows it (docs/spec/destinations.md#fields). */
export function showDestination(destination: Destination) {
  const { health } = destination;
  return {
    id: destination.id,
    workspace_id: destination.workspaceId,
    type: destination.type,
    name: destination.name,
    enabled: destination.enabled,
    privacy_mode: destination.privacyMode,
    broadcast_generation_cost: destination.sendsCost,
    broadcast_generation_identity: destination.sendsIdentity,
    broadcast_generation_request_context: destination.sendsContext,
    sampling_rate: destination.samplingRate,
    api_key_hashes: destination.keyHashes,
    filter_rules: destination.filterRules,
    config: destination.config,
    created_at: isoTime(destination.createdAt),
    updated_at: isoTime(destination.updatedAt),
    state:
      health === undefined
        ? null
        : {
            state: health.state,
            status: health.status ?? null,
            reason: health.reason ?? null,
            succeeded_at: health.succeededAt === undefined ? null : isoTime(health.succeededAt),
            at: isoTime(health.at),
          },
  };
}

/** A destination as entries of the audit log show it: without its config, of which they say only that it changed. */
export function lookAtDestination(destination: Destination): JsonObject {
  const { config: _config, state: _state, updated_at: _updated, ...shown } = showDestination(destination);
  return shown;
}

/** Every type of destination, and what its `config` takes. */
export const DestinationTypeList = Type.Object({
  data: list(
    named(
      'DestinationType',
      Type.Object({
        type: text(),
        fields: list(
          Type.Object({
            name: text(),
            required: flag(),
            secret: flag({ description: 'Whether it reads back masked' }),
            default: orNull(text()),
            choices: orNull(list(text())),
          }),
        ),
      }),
    ),
  ),
});

/** The types as the management interface lists them (docs/spec/destinations.md#types). */
export function listTypes() {
  return Object.entries(destinationTypes).map(([type, { fields }]) => ({
    type,
    fields: Object.entries(fields).map(([name, field]) => ({
      name,
      required: field.isRequired === true,
      secret: field.isSecret === true,
      default: field.default ?? null,
      choices: field.choices === undefined ? null : [...field.choices],
    })),
  }));
}
