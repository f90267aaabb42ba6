import type { WorkspaceChange } from '../../ports/workspaces.ts';
import { createChecker } from '../../schema/checker.ts';
import { choice, flag, integer, list, number, orNull, text } from '../../schema/schema.ts';
import { type Static, Type } from '../../util/json-schema.ts';

const closed = { additionalProperties: false };

const settings = {
  description: Type.Optional(orNull(text({ maxLength: 500 }))),
  default_text_model: Type.Optional(orNull(text())),
  default_image_model: Type.Optional(orNull(text())),
  default_provider_sort: Type.Optional(orNull(choice('price', 'throughput', 'latency', 'exacto'))),
  disabled_server_tools: Type.Optional(orNull(list(text({ pattern: '^service:[a-z0-9_]+$' })))),
  is_observability_io_logging_enabled: Type.Optional(flag()),
  is_observability_broadcast_enabled: Type.Optional(flag()),
  is_data_discount_logging_enabled: Type.Optional(flag()),
  io_logging_sampling_rate: Type.Optional(number({ minimum: 0.0001, maximum: 1 })),
  io_logging_api_key_ids: Type.Optional(orNull(list(integer()))),
};
const name = text({ minLength: 1, maxLength: 100 });
const slug = text({ minLength: 1, maxLength: 50, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' });

/** The body of `POST /workspaces` (accounts-and-limits 1.3). */
export const CreateWorkspaceSchema = Type.Object({ name, slug, ...settings }, closed);

/** The body of `PATCH /workspaces/{id}`: absent is unchanged. */
export const ChangeWorkspaceSchema = Type.Object(
  { name: Type.Optional(name), slug: Type.Optional(slug), ...settings },
  closed,
);

const checkNew = createChecker(CreateWorkspaceSchema);
const checkChange = createChecker(ChangeWorkspaceSchema);

/** Reads the body of `POST /workspaces`. @throws HeadgateError `invalid_request` naming the member. */
export function readNewWorkspace(
  raw: unknown,
): WorkspaceChange & { readonly name: string; readonly slug: string } {
  const body = checkNew(raw, '');
  return { ...readSettings(body), name: body.name, slug: body.slug };
}

/** Reads the body of `PATCH /workspaces/{id}`. @throws HeadgateError `invalid_request` naming the member. */
export function readWorkspaceChange(raw: unknown): WorkspaceChange {
  const body = checkChange(raw, '');
  return { ...readSettings(body), name: body.name, slug: body.slug };
}

function readSettings(body: Omit<Static<typeof ChangeWorkspaceSchema>, 'name' | 'slug'>): WorkspaceChange {
  const tools = body.disabled_server_tools;
  return {
    description: body.description,
    defaultTextModel: body.default_text_model,
    defaultImageModel: body.default_image_model,
    defaultProviderSort: body.default_provider_sort,
    // An empty list clears it.
    disabledServerTools: tools?.length === 0 ? null : tools,
    ioLogging: body.is_observability_io_logging_enabled,
    broadcast: body.is_observability_broadcast_enabled,
    dataDiscountLogging: body.is_data_discount_logging_enabled,
    ioLoggingSamplingRate: body.io_logging_sampling_rate,
    ioLoggingKeyIds: body.io_logging_api_key_ids,
  };
}
