import { pictureData } from '../../text/markup.ts';
import { type Body, isObject } from './draft.ts';
import type { Answer, Item } from './run.ts';

/** Results of calls, by the call they answer. */
export type Results = Readonly<Record<string, string>>;

/** An answer, and what its calls were answered with. */
export interface Turn {
  readonly answer: Answer;
  readonly results?: Results;
}

/** What was said in one column: an answer, and one more for every set of results. */
export type Thread = readonly Turn[];

/** A call that the person answers. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly isCustom: boolean;
}

/** The calls of an answer that wait for a result. */
export function callsOf({ items }: Answer): readonly ToolCall[] {
  return items.flatMap((item) => {
    const isCustom = item.type === 'custom_tool_call';
    if (!isCustom && item.type !== 'function_call') return [];
    const { call_id: id, name } = item;
    return [
      { id: String(id), name: String(name), input: String(isCustom ? item.input : item.arguments), isCustom },
    ];
  });
}

/** The request that goes on after calls were answered: all that was said, and the results. */
export function nextBody({ body, items, ...answer }: Answer, results: Results): Body {
  const asked = Array.isArray(body.input)
    ? body.input
    : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: String(body.input) }] }];
  const outputs = callsOf({ body, items, ...answer }).map(({ id, isCustom }) => ({
    type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: id,
    output: results[id] ?? '',
  }));
  return { ...body, input: [...asked, ...items, ...outputs] };
}

/** The pictures of an answer; undefined for one of a kind that is not shown. */
export function picturesOf(items: readonly Item[]): readonly (string | undefined)[] {
  return items.flatMap((item) => {
    if (!String(item.type).includes('image_generation')) return [];
    const made = [item.result, item.imageB64].filter((one) => typeof one === 'string' && one !== '');
    return made.slice(0, 1).map((one) => pictureData(String(one)));
  });
}

/** The text of an answer, without reasoning. */
export function textOf(items: readonly Item[]): string {
  return items
    .flatMap(({ type, content }) => (type === 'message' && Array.isArray(content) ? content : []))
    .map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('');
}
