import type { InferenceRequest } from '../../core/inference-request.ts';
import type { HostedItem, Item } from '../../core/request.ts';
import { isObject } from '../../util/json.ts';
import type { OpenedTool } from '../server-tool.ts';

/** A request whose replayed calls of the shell are calls of its function, with what came of them. @param name The function's. */
export function shellHistory(request: InferenceRequest, name: string): OpenedTool {
  const { canonical } = request;
  const outputs = new Set(
    canonical.items.flatMap((item) =>
      item.kind === 'hosted' && item.type === 'shell_call_output' ? String(item.fields.call_id) : [],
    ),
  );
  const called = new Set<string>();
  const items = canonical.items.flatMap((item): readonly Item[] => {
    if (item.kind !== 'hosted') return [item];
    const callId = String(item.fields.call_id);
    if (item.type === 'shell_call') {
      called.add(callId);
      const call: Item = { kind: 'call', form: 'function', callId, name, input: inputOf(item) };
      return outputs.has(callId) ? [call] : [call, outputOf(callId, 'No output was kept.')];
    }
    // What belongs to no call stays what it is: plain context.
    if (item.type !== 'shell_call_output' || !called.has(callId)) return [item];
    return [outputOf(callId, JSON.stringify({ output: item.fields.output }))];
  });
  return {
    offers: [],
    request: { ...request, canonical: { ...canonical, items } },
    shown: [],
    calls: 0,
    close() {},
  };
}

function inputOf({ fields: { arguments: written, action } }: HostedItem): string {
  return typeof written === 'string' && written !== ''
    ? written
    : JSON.stringify(isObject(action) ? action : {});
}

function outputOf(callId: string, said: string): Item {
  return { kind: 'call_output', form: 'function', callId, output: [{ kind: 'text', text: said }] };
}
