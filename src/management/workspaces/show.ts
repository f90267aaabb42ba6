import type { Workspace } from '../../ports/workspaces.ts';
import { defaultGuardrailId } from '../guardrails/show.ts';

/** A workspace as the management interface shows it (docs/spec/accounts.md#workspaces). */
export function showWorkspace(workspace: Workspace) {
  return {
    id: workspace.id,
    default_guardrail_id: defaultGuardrailId(workspace.id),
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    default_text_model: workspace.defaultTextModel,
    default_image_model: workspace.defaultImageModel,
    default_provider_sort: workspace.defaultProviderSort,
    ...(workspace.disabledServerTools === null
      ? {}
      : { disabled_server_tools: workspace.disabledServerTools }),
    ...(workspace.pluginDefaults === null ? {} : { plugin_defaults: workspace.pluginDefaults }),
    is_observability_io_logging_enabled: workspace.ioLogging,
    is_observability_broadcast_enabled: workspace.broadcast,
    is_data_discount_logging_enabled: workspace.dataDiscountLogging,
    io_logging_sampling_rate: workspace.ioLoggingSamplingRate,
    io_logging_api_key_ids: workspace.ioLoggingKeyIds,
    created_at: new Date(workspace.createdAt).toISOString(),
    updated_at: workspace.updatedAt === null ? null : new Date(workspace.updatedAt).toISOString(),
    created_by: workspace.createdBy,
  };
}
