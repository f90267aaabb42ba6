import { describeEntry } from '../../dialects/service-metadata.ts';
import { apiBase } from '../../edge/route.ts';
import {
  anyObject,
  choice,
  integer,
  list,
  named,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { closed, Deleted, limit, managed, offset, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  listFalsePositives,
  reportFalsePositive,
  showFalsePositives,
  tryGuardrail,
} from './false-positives.ts';
import {
  changeGuardrail,
  createGuardrail,
  deleteGuardrail,
  findGuardrail,
  type GuardrailInput,
  type GuardrailSurroundings,
  listGuardrails,
} from './guardrails.ts';
import {
  CreateGuardrail,
  FalsePositiveList,
  FalsePositiveReport,
  GuardrailAnswer,
  GuardrailDraft,
  GuardrailList,
  ReportFalsePositive,
  showFileGuardrail,
  showGuardrail,
  UpdateGuardrail,
} from './show.ts';

const reportsPath = `${apiBase}/guardrails/false-positives`;

/** Reports that filters found what is none (docs/spec/guardrails.md#false-positives). */
export const falsePositiveRows: readonly Row[] = [
  jsonRow({
    access: 'key',
    needs: 'feedback',
    reachesDatabase: true,
    failures: ['not_found'],
    method: 'POST',
    path: reportsPath,
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
    ...managed('guardrails'),
    method: 'GET',
    path: reportsPath,
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

/** Characters of a text that is tried. */
const longestText = 1_048_576;

const TestGuardrail = named(
  'TestGuardrail',
  Type.Object(
    {
      text: text({ maxLength: longestText }),
      guardrail_id: Type.Optional(text({ minLength: 1 })),
      draft: Type.Optional(GuardrailDraft),
      key_hash: Type.Optional(text({ minLength: 1 })),
      scope: Type.Optional(choice('user', 'system')),
    },
    closed,
  ),
);

const GuardrailVerdict = named(
  'GuardrailVerdict',
  Type.Object({
    data: Type.Object({
      verdict: choice('pass', 'flag', 'redact', 'block'),
      text: orNull(text()),
      message: orNull(text()),
      patterns: list(text()),
      pipeline: list(anyObject()),
    }),
  }),
);

/** Trying guardrails (docs/spec/guardrails.md#trying). */
export const guardrailTestRows: readonly Row[] = [
  jsonRow({
    ...one('guardrails'),
    method: 'POST',
    path: `${apiBase}/guardrails/test`,
    id: 'testGuardrail',
    summary:
      'What a guardrail, a draft of one, or all that apply to a key would make of a text; nothing is called or charged',
    body: TestGuardrail,
    answer: GuardrailVerdict,
    handle: async ({ actor, body }, services) => {
      const trial = {
        text: body.text,
        guardrailId: body.guardrail_id,
        draft: body.draft,
        keyHash: body.key_hash,
        isUser: body.scope !== 'system',
      };
      const surroundings = surroundingsOf(services);
      const {
        verdict,
        text: left,
        message,
        patterns,
        entries,
      } = await tryGuardrail(actor, trial, surroundings, services);
      return {
        data: {
          verdict,
          text: left ?? null,
          message: message ?? null,
          patterns,
          pipeline: entries.map(describeEntry),
        },
      };
    },
  }),
];

const path = `${apiBase}/guardrails`;
const oneGuardrail = { ...one('guardrails'), path: `${path}/{id}` } as const;

/** Guardrails of an account (docs/spec/guardrails.md#managing-guardrails). */
export const guardrailRows: readonly Row[] = [
  jsonRow({
    ...managed('guardrails'),
    method: 'GET',
    path,
    id: 'listGuardrails',
    summary: 'The guardrails of a workspace, then those of the configuration file',
    query: Type.Object({ offset, limit, workspace_id: Type.Optional(text()) }),
    answer: GuardrailList,
    handle: async ({ actor, query }, services) => {
      const { workspace_id: workspace, ...page } = query;
      const chosen = { ...page, ...(workspace !== undefined && { workspace }) };
      const { guardrails: file } = services.config;
      const { stored, ofFile, total } = await listGuardrails(actor, chosen, file, services);
      const data = [
        ...stored.map(showGuardrail),
        ...ofFile.map((one) => showFileGuardrail(one, Math.floor(performance.timeOrigin))),
      ];
      return { data, total_count: total };
    },
  }),
  jsonRow({
    ...managed('guardrails'),
    method: 'POST',
    path,
    id: 'createGuardrail',
    summary: 'Create a guardrail, which applies to nothing before it is assigned',
    body: CreateGuardrail,
    status: 201,
    answer: GuardrailAnswer,
    handle: async ({ actor, body }, services) => {
      const { name, workspace_id: workspace } = body;
      const input = { ...readInput(body), name, ...(workspace !== undefined && { workspace }) };
      return { data: showGuardrail(await createGuardrail(actor, input, surroundingsOf(services), services)) };
    },
  }),
  jsonRow({
    ...oneGuardrail,
    method: 'GET',
    id: 'getGuardrail',
    summary: 'One guardrail',
    answer: GuardrailAnswer,
    handle: async ({ actor, params: { id = '' } }, services) => ({
      data: showGuardrail(await findGuardrail(actor, id, services)),
    }),
  }),
  jsonRow({
    ...oneGuardrail,
    method: 'PATCH',
    id: 'updateGuardrail',
    summary: "Change a guardrail; the first change of a workspace's default guardrail creates it",
    body: UpdateGuardrail,
    answer: GuardrailAnswer,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { ...readInput(body), id };
      return { data: showGuardrail(await changeGuardrail(actor, input, surroundingsOf(services), services)) };
    },
  }),
  jsonRow({
    ...oneGuardrail,
    method: 'DELETE',
    id: 'deleteGuardrail',
    summary: 'Delete a guardrail and its assignments',
    answer: Deleted,
    handle: async ({ actor, params: { id = '' } }, services) => {
      await deleteGuardrail(actor, id, services.config.guardrails, services);
      return { deleted: true };
    },
  }),
];

function readInput(body: Static<typeof UpdateGuardrail> | Static<typeof CreateGuardrail>): GuardrailInput {
  const { name, description, ...rules } = body;
  return { name, description, rules };
}

/** What guardrails are checked against. */
export function surroundingsOf(services: InterfaceServices): GuardrailSurroundings {
  return {
    catalogue: services.catalogue(),
    file: services.config.guardrails,
    hasAnalyzer: services.config.entityAnalyzer !== undefined,
    scanner: services.scanner,
  };
}
