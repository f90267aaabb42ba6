import { isObject } from '../../util/json.ts';

/** Kinds of output items that wait for the client. */
const clientCalls: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/** Counts what an answer's items leave to do and to pay: calls the client has to answer, and searches. */
export class CallCount {
  #made = false;
  #searches = 0;
  /** Shell calls nobody has answered yet; the provider answers those of its own containers itself. */
  readonly #shell = new Set<unknown>();

  /** Whether the client is asked for something. */
  get waiting(): boolean {
    return this.#made || this.#shell.size > 0;
  }

  /** Searches the provider ran; undefined when it ran none. */
  get webSearches(): number | undefined {
    return this.#searches > 0 ? this.#searches : undefined;
  }

  /** Takes a finished output item into account. */
  note(item: { readonly type: string; readonly [member: string]: unknown }): void {
    if (clientCalls.has(item.type)) this.#made = true;
    if (item.type === 'shell_call') this.#shell.add(item.call_id);
    if (item.type === 'shell_call_output') this.#shell.delete(item.call_id);
    // Opening a page and looking for something in it are not billed as searches.
    const searched = item.type === 'web_search_call' && item.status !== 'failed';
    if (searched && isObject(item.action) && item.action.type === 'search') this.#searches += 1;
  }
}
