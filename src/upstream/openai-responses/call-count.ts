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

/** Counts what an answer leaves to do and to pay: calls that the client has to answer, and searches. */
export class CallCount {
  #made = false;
  #searches = 0;
  /** Shell calls without an output so far; the provider answers those of its own containers itself. */
  readonly #shell = new Set<unknown>();

  /** Whether a call waits for the client. */
  get waiting(): boolean {
    return this.#made || this.#shell.size > 0;
  }

  /** Searches that the provider ran; undefined without any. */
  get webSearches(): number | undefined {
    return this.#searches > 0 ? this.#searches : undefined;
  }

  /** Counts a finished output item. */
  note(item: { readonly type: string; readonly [member: string]: unknown }): void {
    if (clientCalls.has(item.type)) this.#made = true;
    if (item.type === 'shell_call') this.#shell.add(item.call_id);
    if (item.type === 'shell_call_output') this.#shell.delete(item.call_id);
    // Opening a page and finding text in it are not billed as searches.
    const searched = item.type === 'web_search_call' && item.status !== 'failed';
    if (searched && isObject(item.action) && item.action.type === 'search') this.#searches += 1;
  }
}
