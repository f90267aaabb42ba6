import { reservedServices } from '../../../../core/reserved-services.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader, pickMembers } from '../../../../schema/members.ts';
import { refuseDeep } from '../../../../schema/refuse-deep.ts';
import {
  anyObject,
  choice,
  integer,
  list,
  optional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from '../../../../util/json-schema.ts';
import { CommandOutputSchema, CommandsSchema, PatchSchema } from './hosted-items.ts';
import type { ItemKind } from './item-kind.ts';
import { statusOf, usualStatuses } from './status.ts';

const said = optional(text());
const anything = Type.Optional(Type.Unknown());
const code = optional(integer());
const SourceSchema = Type.Object({ type: choice('url'), url: text() });

/**
 * Members of each kind besides `type`, `id` and `status` (docs/spec/items.md#service-items); the mixed casing is
 * theirs.
 */
const members: Readonly<Record<`service:${string}`, TProperties>> = {
  'service:datetime': { datetime: text(), timezone: text() },
  'service:web_search': {
    action: optional(
      Type.Object({ type: choice('search'), query: text(), sources: optional(list(SourceSchema)) }),
    ),
  },
  'service:web_fetch': { url: said, title: said, content: said, httpStatus: code, error: said },
  'service:image_generation': {
    prompt: said,
    revisedPrompt: said,
    imageB64: said,
    imageUrl: said,
    result: said,
  },
  'service:code_interpreter': { code: said, language: said, stdout: said, stderr: said, exitCode: code },
  'service:file_search': { queries: optional(list(text())) },
  'service:tool_search': { query: said, tools: anything, error: said },
  'service:browser_use': { action: said, screenshotB64: said },
  'service:bash': {
    command: said,
    stdout: said,
    stderr: said,
    exitCode: code,
    call_id: said,
    arguments: said,
  },
  'service:shell': {
    action: optional(CommandsSchema),
    output: optional(list(CommandOutputSchema)),
    call_id: said,
    arguments: said,
    container_id: said,
    files: anything,
    error: anything,
  },
  'service:text_editor': {
    command: optional(choice('view', 'create', 'str_replace', 'insert')),
    filePath: said,
  },
  'service:apply_patch': { call_id: said, operation: optional(PatchSchema) },
  'service:memory': { action: optional(choice('read', 'write', 'delete')), key: said, value: anything },
  'service:mcp': { serverLabel: said, toolName: said },
  'service:experimental__search_models': { query: said, arguments: said },
  'service:files': {
    operation: said,
    file_id: said,
    filename: said,
    result: said,
    error: said,
    call_id: said,
    arguments: said,
  },
  'service:fusion': {
    analysis: optional(anyObject()),
    responses: optional(list(Type.Object({ model: text(), content: said }))),
    sources: optional(list(Type.Object({ title: said, url: said }))),
    failed_models: optional(list(Type.Object({ model: text(), error: text(), status_code: code }))),
    failure_reason: said,
    error: said,
  },
  'service:advisor': { prompt: said, advice: said, model: said, instance_name: said, error: said },
  'service:subagent': {
    call_id: said,
    task_name: said,
    task_description: said,
    outcome: said,
    model: said,
    name: said,
    instance_name: said,
    error: said,
  },
};

const failing = new Set(['service:advisor', 'service:subagent']);

/** Items of the tools this service runs itself, replayed. */
export const serviceItems: readonly (readonly [string, ItemKind])[] = Object.entries(members).map(
  ([type, fields]) => [type, serviceItem(type as `service:${string}`, fields)],
);

function serviceItem(type: `service:${string}`, fields: TProperties): ItemKind {
  const status = failing.has(type) ? statusOf(...usualStatuses, 'failed') : statusOf(...usualStatuses);
  const base = { type: choice(type), id: optional(text()), status };
  const schema = Type.Object({ ...base, ...fields });
  // An operator may configure another prefix. The kind is already known here, so any text is accepted as the type
  // (docs/spec/requests.md#prefix-aliases).
  const check = createChecker<TSchema>(Type.Object({ ...base, type: text(), ...fields }));
  const extraOf = createExtraReader(schema);
  const names = Object.keys(fields);
  return {
    schema,
    read(item, path, { pairing, workers }) {
      check(item, path);
      if (reservedServices.has(type)) return undefined;
      refuseDeep(item, path);
      pairing.other();
      const read = {
        kind: 'service' as const,
        type,
        id: typeof item.id === 'string' ? item.id : undefined,
        fields: pickMembers(item, names),
        extra: extraOf(item, path),
      };
      if (type === 'service:subagent') workers?.worker(read);
      return read;
    },
  };
}
