import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { usdToNumber } from '../../core/money.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { queryText } from '../../edge/query.ts';
import type { RouteCall } from '../../edge/route.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { dayName, isCalendarDay, utcDay } from '../../util/utc-windows.ts';
import { permanentSlug, providerName } from './shown-names.ts';

const daysShown = 30;

/** `GET /activity`: the last 30 whole UTC days by day, model and endpoint (accounts-and-limits 7). */
export async function describeActivity(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const groupBy = queryText(request, 'group_by');
  if (groupBy !== undefined && groupBy !== 'workspace') throw malformed('group_by', 'expected workspace');
  const rows = await services.storage.activity.activity({
    accountId: caller.account.id,
    ...readDays(queryText(request, 'date'), services.clock.now()),
    keyHash: queryText(request, 'api_key_hash'),
    creatorUserId: queryText(request, 'user_id'),
    workspaceId: await ownWorkspace(queryText(request, 'workspace_id')?.toLowerCase(), caller, services),
    byWorkspace: groupBy === 'workspace',
  });
  const catalogue = services.catalogue();
  return { data: rows.map((row) => showRow(row, catalogue)) };
}

function readDays(date: string | undefined, now: number) {
  const yesterday = utcDay(now) - 1;
  const oldest = yesterday - daysShown + 1;
  if (date === undefined) return { firstDay: oldest, lastDay: yesterday };
  const day = isCalendarDay(date) ? utcDay(Date.parse(`${date}T00:00:00Z`)) : Number.NaN;
  if (!(day >= oldest && day <= yesterday)) {
    throw malformed('date', `expected a day from ${dayName(oldest)} to ${dayName(yesterday)}, as YYYY-MM-DD`);
  }
  return { firstDay: day, lastDay: day };
}

async function ownWorkspace(
  asked: string | undefined,
  { account }: Caller,
  { storage }: AppServices,
): Promise<string | undefined> {
  if (asked !== undefined && (await storage.workspaces.find(account.id, asked))?.id !== asked) {
    throw new HeadgateError('not_found', 'There is no such workspace in this account.');
  }
  return asked;
}

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
