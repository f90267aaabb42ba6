import { pluginDefaultsSchema } from '../../schema/plugin-defaults.ts';
import { choice, flag, integer, list, named, number, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed, pageOf } from './parts.ts';

/** A workspace of an account. */
export const WorkspaceSchema = named(
  'Workspace',
  Type.Object({
    id: text(),
    default_guardrail_id: text(),
    name: text(),
    slug: text(),
    description: orNull(text()),
    default_text_model: orNull(text()),
    default_image_model: orNull(text()),
    default_provider_sort: orNull(text()),
    disabled_server_tools: Type.Optional(orNull(list(text()))),
    plugin_defaults: Type.Optional(pluginDefaultsSchema),
    is_observability_io_logging_enabled: flag(),
    is_observability_broadcast_enabled: flag(),
    is_data_discount_logging_enabled: flag(),
    io_logging_sampling_rate: number(),
    io_logging_api_key_ids: orNull(list(integer())),
    created_at: text(),
    updated_at: orNull(text()),
    created_by: orNull(text()),
  }),
);

/** A page of workspaces. */
export const WorkspaceList = pageOf('WorkspaceList', WorkspaceSchema);

/** One workspace. */
export const WorkspaceAnswer = answerOf('WorkspaceAnswer', WorkspaceSchema);

const settings = {
  description: Type.Optional(orNull(text({ maxLength: 500 }))),
  default_text_model: Type.Optional(orNull(text({ maxLength: 255 }))),
  default_image_model: Type.Optional(orNull(text({ maxLength: 255 }))),
  default_provider_sort: Type.Optional(orNull(choice('price', 'throughput', 'latency', 'exacto'))),
  disabled_server_tools: Type.Optional(
    orNull(list(text({ maxLength: 100, pattern: '^service:[a-z0-9_]+$' }), { maxItems: 100 })),
  ),
  plugin_defaults: Type.Optional(orNull(pluginDefaultsSchema)),
  is_observability_io_logging_enabled: Type.Optional(flag()),
  is_observability_broadcast_enabled: Type.Optional(flag()),
  is_data_discount_logging_enabled: Type.Optional(flag()),
  io_logging_sampling_rate: Type.Optional(number({ minimum: 0.0001, maximum: 1 })),
  io_logging_api_key_ids: Type.Optional(orNull(list(integer()))),
};
const name = text({ minLength: 1, maxLength: 100 });
const slug = text({ minLength: 1, maxLength: 50, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' });

/** The body of `POST /workspaces` (docs/spec/accounts.md#workspaces). */
export const CreateWorkspace = named('CreateWorkspace', Type.Object({ name, slug, ...settings }, closed));

/** The body of `PATCH /workspaces/{id}`: absent is unchanged. */
export const UpdateWorkspace = named(
  'UpdateWorkspace',
  Type.Object({ name: Type.Optional(name), slug: Type.Optional(slug), ...settings }, closed),
);
