import { qualifiedName } from '../../../../core/client-tools.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import type { JsonObject } from '../../../../util/json.ts';
import { choice, flag, handled, list, optional, Type, text } from '../../../../util/json-schema.ts';
import { cacheMembers, markLast, readCacheControl } from '../../../gateway/common-settings.ts';
import { contentSchema, readContent, toolOutputParts } from '../../../gateway/content/content-parts.ts';
import type { ItemKind, Reading } from './item-kind.ts';
import { statusOf, usualStatuses } from './status.ts';

const outputMembers = {
  id: optional(text()),
  call_id: text({ minLength: 1 }),
  output: handled(contentSchema(toolOutputParts)),
  cache_control: cacheMembers.cache_control,
  status: statusOf(...usualStatuses),
};

/** What a function answered: a string or parts. */
const FunctionCallOutputSchema = Type.Object({
  type: choice('function_call_output'),
  ...outputMembers,
});

/** What a custom tool answered: a string or parts. */
const CustomCallOutputSchema = Type.Object({
  type: choice('custom_tool_call_output'),
  ...outputMembers,
});

const checkFunctionOutput = createChecker(FunctionCallOutputSchema);
const checkCustomOutput = createChecker(CustomCallOutputSchema);
const extraOf = createExtraReader(FunctionCallOutputSchema);

/** How the outputs of functions are read. */
export const functionCallOutputKind: ItemKind = {
  schema: FunctionCallOutputSchema,
  read: (item, path, reading) => readOutput('function', item, checkFunctionOutput(item, path), path, reading),
};

/** How the outputs of custom tools are read. */
export const customCallOutputKind: ItemKind = {
  schema: CustomCallOutputSchema,
  read: (item, path, reading) => readOutput('custom', item, checkCustomOutput(item, path), path, reading),
};

function readOutput(
  form: 'function' | 'custom',
  raw: JsonObject,
  item: {
    readonly id?: string | null;
    readonly call_id: string;
    readonly output: unknown;
    readonly cache_control?: Parameters<typeof readCacheControl>[0];
  },
  path: string,
  reading: Reading,
) {
  const parts = readContent(item.output, `${path}.output`, toolOutputParts, reading.cache);
  const isMarked = reading.cache.explicit === undefined;
  const output = isMarked ? markLast(parts, readCacheControl(item.cache_control)) : parts;
  reading.pairing.output(form, item.call_id, path);
  const read = {
    kind: 'call_output' as const,
    form,
    id: item.id ?? undefined,
    callId: item.call_id,
    output,
    extra: extraOf(raw, path),
  };
  if (form === 'function') reading.workers?.output(read);
  return read;
}

const callMembers = {
  id: optional(text()),
  call_id: text({ minLength: 1 }),
  name: text({ minLength: 1 }),
  namespace: optional(text()),
  async: optional(flag()),
  cache_control: cacheMembers.cache_control,
  status: statusOf(...usualStatuses),
};

/** A call of a function, replayed; `arguments` is the model's JSON text as it wrote it. */
const FunctionCallSchema = Type.Object({
  type: choice('function_call'),
  ...callMembers,
  arguments: text(),
  subagent_id: optional(text()),
  subagent_items: optional(list(Type.Object({ type: text() }))),
});

/** A call of a custom tool, replayed; `input` is free text. */
const CustomCallSchema = Type.Object({
  type: choice('custom_tool_call'),
  ...callMembers,
  input: text(),
});

const checkFunctionCall = createChecker(FunctionCallSchema);
const checkCustomCall = createChecker(CustomCallSchema);
const extraOfFunctionCall = createExtraReader(FunctionCallSchema);
const extraOfCustomCall = createExtraReader(CustomCallSchema);

interface Call {
  readonly id?: string | null;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string | null;
  readonly async?: boolean | null;
  readonly cache_control?: Parameters<typeof readCacheControl>[0];
}

/** What function tools must not be called either (docs/spec/tools.md#kinds). */
const foreignLetters = /[^A-Za-z0-9_-]/g;
const longestName = 64;

/** How function calls are read. A name no function can have was made up by a model, and most providers refuse it. */
export const functionCallKind: ItemKind = {
  schema: FunctionCallSchema,
  read(item, path, reading) {
    const call = checkFunctionCall(item, path);
    const extra = extraOfFunctionCall(item, path);
    const name = call.name.replace(foreignLetters, '_').slice(0, longestName);
    const { subagent_id: worker, subagent_items: written } = call;
    // Calls of workers are held together with their outputs elsewhere.
    const isOfWorker = typeof worker === 'string';
    const read = {
      ...readCall('function', call, path, reading, isOfWorker),
      name,
      input: call.arguments,
      extra,
    };
    const items = isOfWorker && written ? reading.readWritten(written) : undefined;
    reading.workers?.call(read, worker ?? undefined, items, path);
    return read;
  },
};

/** How calls of custom tools are read. */
export const customCallKind: ItemKind = {
  schema: CustomCallSchema,
  read(item, path, reading) {
    const call = checkCustomCall(item, path);
    const extra = extraOfCustomCall(item, path);
    return { ...readCall('custom', call, path, reading), input: call.input, extra };
  },
};

function readCall(
  form: 'function' | 'custom',
  call: Call,
  path: string,
  reading: Reading,
  isOfWorker = false,
) {
  const namespace = call.namespace ?? undefined;
  const mayWait = isOfWorker || call.async === true || reading.mayWait(qualifiedName(call.name, namespace));
  reading.pairing.call(form, call.call_id, path, mayWait);
  return {
    kind: 'call' as const,
    form,
    id: call.id ?? undefined,
    callId: call.call_id,
    name: call.name,
    namespace,
    ...(call.cache_control &&
      reading.cache.explicit === undefined && { cacheControl: readCacheControl(call.cache_control) }),
  };
}
