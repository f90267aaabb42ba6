import { apiBase } from '../../edge/paths.ts';
import {
  listFalsePositives,
  reportFalsePositive,
  showFalsePositives,
} from '../../operations/guardrails/false-positives.ts';
import { integer, Type } from '../../util/json-schema.ts';
import { jsonRow, type Row } from '../row.ts';
import { FalsePositiveList, FalsePositiveReport, ReportFalsePositive } from '../schemas/guardrails.ts';
import { managed } from './management-parts.ts';

const path = `${apiBase}/guardrails/false-positives`;

/** Reports that filters found what is none (docs/spec/guardrails.md#false-positives). */
export const falsePositiveRows: readonly Row[] = [
  jsonRow({
    access: 'key',
    reachesDatabase: true,
    failures: ['not_found'],
    method: 'POST',
    path,
    id: 'reportFalsePositive',
    summary: 'Report that a filter found what is none; it is counted and unblocks nothing',
    body: ReportFalsePositive,
    answer: FalsePositiveReport,
    handle: async ({ actor, body }, services) => {
      const detection = { guardrailId: body.guardrail_id, filter: body.filter };
      const { guardrails: file } = services.config;
      const { guardrailId, filter } = await reportFalsePositive(actor, detection, file, services);
      return { data: { guardrail_id: guardrailId, filter } };
    },
  }),
  jsonRow({
    ...managed,
    method: 'GET',
    path,
    id: 'listFalsePositives',
    summary: 'How often each filter was reported, most reports first',
    query: Type.Object({ days: integer({ minimum: 1, maximum: 366, default: 30 }) }),
    answer: FalsePositiveList,
    handle: async ({ actor, query }, services) => {
      const found = await listFalsePositives(actor, query.days, services);
      return { data: found.map(showFalsePositives), total_count: found.length };
    },
  }),
];
