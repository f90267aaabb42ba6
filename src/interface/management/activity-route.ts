import type { Catalogue } from '../../core/catalogue.ts';
import { usdToNumber } from '../../core/money.ts';
import { queryText } from '../../edge/query.ts';
import { reportActivity } from '../../operations/reports/activity-report.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import { malformed } from '../../schema/fault.ts';
import type { JsonObject } from '../../util/json.ts';
import { dayName } from '../../util/utc-windows.ts';
import type { ManagementHandler } from './management-handler.ts';
import { permanentSlug, providerName } from './shown-names.ts';

/** `GET /activity`: the last 30 whole UTC days by day, model and endpoint (accounts-and-limits 7). */
export const describeActivity: ManagementHandler = async (call, actor, services) => {
  const groupBy = queryText(call, 'group_by');
  if (groupBy !== undefined && groupBy !== 'workspace') throw malformed('group_by', 'expected workspace');
  // Read one after the other as the operation asks for them: of several faults the first is reported.
  const input = {
    date: queryText(call, 'date'),
    get keyHash() {
      return queryText(call, 'api_key_hash');
    },
    get creatorUserId() {
      return queryText(call, 'user_id');
    },
    get workspace() {
      return queryText(call, 'workspace_id');
    },
    byWorkspace: groupBy === 'workspace',
  };
  const rows = await reportActivity(actor, input, services);
  const catalogue = services.catalogue();
  return { data: rows.map((row) => showRow(row, catalogue)) };
};

function showRow(row: ActivityRow, catalogue: Catalogue): JsonObject {
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
    completion_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    ...(row.workspaceId === undefined ? {} : { workspace_id: row.workspaceId }),
  };
}
