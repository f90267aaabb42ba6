import type { Catalogue } from '../../core/catalogue.ts';
import { sumUsd, usdToNumber } from '../../core/money.ts';
import { apiBase } from '../../edge/route.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import { marked, type Static, Type, text, word } from '../../util/json-schema.ts';
import { dayName } from '../../util/utc-windows.ts';
import { readBalance } from '../credits/credits.ts';
import { managed, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { readGeneration, reportActivity } from './reports.ts';
import {
  Activity,
  type ActivityRowSchema,
  Credits,
  GenerationAnswer,
  permanentSlug,
  providerName,
  showGeneration,
  showTotal,
} from './show.ts';

/**
 * What was spent, and the record of a call, which any key may read (docs/spec/accounts.md#who-may-call-what,
 * docs/spec/accounts.md#reports).
 */
export const reportRows: readonly Row[] = [
  jsonRow({
    ...managed('billing'),
    method: 'GET',
    path: `${apiBase}/credits`,
    id: 'getCredits',
    summary: 'What was ever booked to the account, and charged to it',
    answer: Credits,
    handle: async ({ actor }, services) => {
      const { balance, spentTotal } = (await readBalance(actor, {}, services)).balance;
      return {
        data: {
          total_credits: usdToNumber(sumUsd(balance, spentTotal)),
          total_usage: usdToNumber(spentTotal),
        },
      };
    },
  }),
  jsonRow({
    ...one('usage'),
    method: 'GET',
    path: `${apiBase}/activity`,
    id: 'getActivity',
    summary: 'Use of the last 30 whole UTC days by day, model and endpoint',
    query: Type.Object({
      date: Type.Optional(text({ format: 'date' })),
      api_key_hash: Type.Optional(text()),
      user_id: Type.Optional(text()),
      group_by: Type.Optional(marked(word(['workspace']), { wording: { expected: 'workspace' } })),
      workspace_id: Type.Optional(text()),
    }),
    answer: Activity,
    handle: async ({ actor, query }, services) => {
      const input = {
        date: query.date,
        keyHash: query.api_key_hash,
        creatorUserId: query.user_id,
        workspace: query.workspace_id,
        byWorkspace: query.group_by !== undefined,
      };
      const rows = await reportActivity(actor, input, services);
      const catalogue = services.catalogue();
      return { data: rows.map((row) => showActivityRow(row, catalogue)) };
    },
  }),
  jsonRow({
    ...one('usage'),
    access: 'key',
    needs: 'usage',
    method: 'GET',
    path: `${apiBase}/generation`,
    id: 'getGeneration',
    summary: 'The record of one call; never what was said',
    query: Type.Object({
      id: marked(text({ description: 'As X-Generation-Id told it' }), {
        wording: { missing: 'name the generation, as X-Generation-Id told it' },
      }),
    }),
    answer: GenerationAnswer,
    handle: async ({ actor, query }, services) => {
      const { generation, further } = await readGeneration(actor, query.id, services);
      const data = showGeneration(generation, services.catalogue());
      return { data: further.length === 0 ? data : { ...data, total: showTotal([generation, ...further]) } };
    },
  }),
];

/** Use of a day, model and endpoint as clients see it (docs/spec/accounts.md#reports). */
function showActivityRow(row: ActivityRow, catalogue: Catalogue): Static<typeof ActivityRowSchema> {
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
