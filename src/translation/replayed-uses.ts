import { hostedKindOf } from '../core/hosted.ts';
import type { CallOutputItem, ContentPart, HostedItem, Item } from '../core/request.ts';
import { reservedServices } from '../core/reserved-services.ts';
import type { Draft } from './draft.ts';
import { featureOfHostedItem, featureOfPart } from './features-used.ts';
import type { FunctionNames } from './hosted-functions.ts';
import { type RecordedUse, readHostedItem, readServiceItem } from './recorded-uses.ts';

/**
 * Rewrites hosted items and items of the gateway's own tools as function calls with outputs, at their places
 * (docs/spec/tools.md#reserved-service-items, docs/spec/tools.md#replayed-uses). Nothing is run again.
 * @param names Functions that replace tools which the client runs.
 */
export function rewriteUses(draft: Draft, names: FunctionNames): void {
  const hosted = draft.emulationOf('item.hosted');
  const service = draft.emulationOf('item.service');
  const { inexpressible } = draft.destination.support;
  const { items } = draft.request;
  const isNative = draft.destination.support['item.hosted'] === 'native';
  const isInexpressible = (item: HostedItem) =>
    inexpressible?.has(item.type) === true || (isNative && lacksContainer(item));
  const changes = items.some((item) => item.kind === 'hosted' && isInexpressible(item));
  if (hosted === undefined && service === undefined && names.size === 0 && !changes) return;
  const taken = new Set(items.flatMap((item) => (item.kind === 'call' ? item.callId : [])));
  const withId = (use: RecordedUse, index: number): Use => {
    let id = `call_${index}`;
    while (taken.has(id)) id += '_';
    return { ...use, kind: 'use', callId: use.callId ?? id };
  };
  const uses = items.map((item, index): Item | Use | undefined => {
    if (item.kind === 'service' && service !== undefined) {
      return reservedServices.has(item.type) ? undefined : withId(readServiceItem(item), index);
    }
    if (item.kind !== 'hosted') return item;
    const rewritten =
      featureOfHostedItem(item.type) === 'item.hosted'
        ? hosted !== undefined || isInexpressible(item)
        : names.has(hostedKindOf[item.type]);
    return rewritten ? withId(readHostedItem(item, names), index) : item;
  });
  const inWords = hosted === 'as-message' || service === 'as-message';
  draft.change({ items: inWords ? writeMessages(uses) : writePairs(uses, draft) });
  const how = inWords ? 'told in words' : 'told as calls of functions with their outputs';
  const isTold = hosted !== undefined || (isNative && items.some(lacksContainer));
  if (isTold) draft.note('item.hosted', 'emulated', how);
  if (service !== undefined) draft.note('item.service', 'emulated', `${how}; reserved kinds are left out`);
}

/** Whether code ran at a maker that does not say where: the dialect that has such items cannot leave it open. */
export function lacksContainer(item: Item): boolean {
  return item.kind === 'hosted' && item.type === 'code_interpreter_call' && item.fields.container_id === '';
}

/** Describes earlier tool uses as text where the endpoint has no functions (docs/spec/tools.md#replayed-uses). */
function writeMessages(entries: readonly (Item | Use | undefined)[]): readonly Item[] {
  return entries.flatMap((entry): Item | Item[] => {
    if (entry?.kind !== 'use') return entry ?? [];
    const output = entry.output?.map((part) => (part.kind === 'text' ? part : hiddenPicture)) ?? [];
    const call: ContentPart[] =
      entry.input === undefined
        ? []
        : [{ kind: 'text', text: `(Tool ${entry.name} was called with ${entry.input})` }];
    const role = entry.input === undefined ? 'user' : 'assistant';
    return { kind: 'message', role, content: [...call, ...output] };
  });
}

type Use = RecordedUse & { readonly kind: 'use'; readonly callId: string };

function writePairs(entries: readonly (Item | Use | undefined)[], draft: Draft): readonly Item[] {
  const answered = new Set(
    entries.flatMap((entry) => (entry?.kind === 'use' && entry.output ? entry.callId : [])),
  );
  const called = new Set<string>();
  return entries.flatMap((entry, index): Item | Item[] => {
    if (entry?.kind !== 'use') return entry ?? [];
    const { name, input, output } = entry;
    let { callId } = entry;
    // Ids of items may repeat; a call with its own output is independent of others.
    if (input !== undefined && output !== undefined && called.has(callId)) callId = `${callId}_${index}`;
    const items: Item[] = [];
    if (input !== undefined && !called.has(callId)) {
      called.add(callId);
      items.push({ kind: 'call', form: 'function', callId, name, input });
    }
    if (output !== undefined) items.push(answerOf(callId, output, called.has(callId), draft));
    // Providers refuse a call without an output.
    else if (!answered.has(callId)) items.push(answerOf(callId, [], true, draft));
    return items;
  });
}

/** The output of a call, or plain context where there is no call. */
function answerOf(callId: string, output: readonly ContentPart[], called: boolean, draft: Draft): Item {
  const parts = output.map((part) => (part.kind === 'text' || isTaken(part, draft) ? part : hiddenPicture));
  const shown: readonly ContentPart[] =
    parts.length > 0 ? parts : [{ kind: 'text', text: 'No output was kept.' }];
  const answer: CallOutputItem = { kind: 'call_output', form: 'function', callId, output: shown };
  return called ? answer : { kind: 'message', role: 'user', content: shown };
}

function isTaken(part: ContentPart, draft: Draft): boolean {
  const feature = featureOfPart(part);
  return feature === undefined || (draft.reaches('input.tool_output.media') && draft.reaches(feature));
}

const hiddenPicture: ContentPart = { kind: 'text', text: '(A picture that cannot be shown here.)' };
