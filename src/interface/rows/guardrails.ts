import { apiBase } from '../../edge/paths.ts';
import { findGuardrail, listGuardrails } from '../../operations/guardrails/find-guardrail.ts';
import {
  changeGuardrail,
  createGuardrail,
  deleteGuardrail,
  type GuardrailInput,
  type GuardrailSurroundings,
} from '../../operations/guardrails/save-guardrail.ts';
import { showFileGuardrail, showGuardrail } from '../../operations/guardrails/show-guardrail.ts';
import { type Static, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { jsonRow, type Row } from '../row.ts';
import { CreateGuardrail, GuardrailAnswer, GuardrailList, UpdateGuardrail } from '../schemas/guardrails.ts';
import { Deleted } from '../schemas/parts.ts';
import { managed, one } from './management-parts.ts';
import { limit, offset } from './query-parts.ts';

const path = `${apiBase}/guardrails`;
const oneGuardrail = { ...one, path: `${path}/{id}` } as const;

/** Guardrails of an account (docs/spec/guardrails.md#managing-guardrails). */
export const guardrailRows: readonly Row[] = [
  jsonRow({
    ...managed,
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
    ...managed,
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
