import { isObject, type JsonObject } from '../../util/json.ts';
import { textOf } from '../lenient.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { AnswerPart, Push } from './run.ts';

/** Hosted tools whose calls have a public item. */
const shown: ReadonlySet<unknown> = new Set(['GOOGLE_SEARCH_WEB', 'GOOGLE_SEARCH_IMAGE', 'URL_CONTEXT']);

/** Whether a part calls a hosted tool with a public item. */
export function beginsSearch({ toolCall }: AnswerPart): boolean {
  return shown.has(toolCall?.toolType);
}

/**
 * A search that the provider reports as a call and its response. The item keeps both parts unchanged as JSON text in
 * `signature`, because the dialect wants them back.
 */
export class SearchCall {
  readonly #block: number;
  readonly #push: Push;
  readonly #call: AnswerPart;
  #settled = false;

  constructor(block: number, part: AnswerPart, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#call = part;
    push({ kind: 'hosted', block, type: 'web_search_call', id: textOf(part.toolCall?.id) });
    push({ kind: 'stage', block, stage: 'searching' });
  }

  /** How many queries the call contained; none where it opened a page. */
  get queries(): number {
    const { toolType, args } = this.#call.toolCall ?? {};
    return toolType === 'URL_CONTEXT' ? 0 : queriesOf(args).length;
  }

  /** Reports the outcome of the call, once; a call without a response continues in the next turn. */
  settle(response?: AnswerPart): void {
    if (this.#settled) return;
    this.#settled = true;
    const parts = response === undefined ? [this.#call] : [this.#call, response];
    const { toolType, args } = this.#call.toolCall ?? {};
    const fields = {
      action: actionOf(toolType, args),
      format: geminiFormat,
      signature: JSON.stringify(parts),
    };
    this.#push({ kind: 'result', block: this.#block, fields });
    this.#push({ kind: 'end', block: this.#block });
  }
}

function actionOf(toolType: unknown, args: unknown): JsonObject {
  const input = isObject(args) ? args : {};
  if (toolType === 'URL_CONTEXT')
    return { type: 'open_page', url: textsOf(input.urls ?? input.url)[0] ?? '' };
  const queries = queriesOf(args);
  return { type: 'search', query: queries[0] ?? '', queries };
}

function queriesOf(args: unknown): string[] {
  const input = isObject(args) ? args : {};
  return textsOf(input.queries ?? input.query).filter((query) => query !== '');
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
}
