import type { Catalogue } from '../../core/catalogue.ts';
import { usdToNumber } from '../../core/money.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import type { Static } from '../../util/json-schema.ts';
import { dayName } from '../../util/utc-windows.ts';
import type { ActivityRowSchema } from '../schemas/reports.ts';
import { permanentSlug, providerName } from './shown-names.ts';

/** Use of a day, model and endpoint as clients see it (docs/spec/accounts.md#reports). */
export function showActivityRow(row: ActivityRow, catalogue: Catalogue): Static<typeof ActivityRowSchema> {
  return {
    date: dayName(row.day),
    model: row.model,
    model_permaslug: permanentSlug(row.model, catalogue),
    endpoint_id: row.endpointTag,
    provider_name: providerName(row.provider, catalogue),
    usage: usdToNumber(row.cost),
    byok_usage_inference: usdToNumber(row.byokCost),
    requests: row.requests,
    prompt_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    completion_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    ...(row.workspaceId === undefined ? {} : { workspace_id: row.workspaceId }),
  };
}
