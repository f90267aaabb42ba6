import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import type { JsonObject } from '../../../../util/json.ts';
import { choice, handled, optional, Type, text } from '../../../../util/json-schema.ts';
import { cacheMembers, markLast, readCacheControl } from '../../../gateway/cache.ts';
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
