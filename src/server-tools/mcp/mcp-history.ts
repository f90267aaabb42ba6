import { HeadgateError } from '../../core/errors.ts';
import type { ContentPart, HostedItem, Item } from '../../core/request.ts';
import { isObject } from '../../util/json.ts';
import { mcpFunctionName } from './function-name.ts';
import type { McpToolDefinition } from './mcp-session.ts';

/** A call that the client was asked to approve. */
export interface AskedCall {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly input: string;
}

/** Items of MCP servers in a conversation that a client replays (docs/spec/mcp.md#replay). */
export class McpHistory {
  readonly #items: readonly Item[];
  readonly #responses = new Map<string, HostedItem>();
  readonly #asked = new Set<string>();
  /** Requests for approval whose call was made. */
  readonly #done = new Set<string>();

  constructor(items: readonly Item[]) {
    this.#items = items;
    for (const item of items) {
      if (item.kind !== 'hosted') continue;
      const { type, fields, id } = item;
      const request = fields.approval_request_id;
      if (type === 'mcp_approval_response') this.#responses.set(String(request), item);
      else if (type === 'mcp_approval_request') this.#asked.add(String(id));
      else if (type === 'mcp_call' && typeof request === 'string') this.#done.add(request);
    }
  }

  /** The last list of a server's tools that the client has; undefined without one, or where it failed. */
  listOf(label: string): readonly McpToolDefinition[] | undefined {
    const list = this.#items.findLast(
      (item) =>
        item.kind === 'hosted' && item.type === 'mcp_list_tools' && item.fields.server_label === label,
    );
    if (list?.kind !== 'hosted' || !Array.isArray(list.fields.tools) || list.fields.error) return undefined;
    return list.fields.tools.filter(isObject).map((tool) => ({
      name: String(tool.name),
      ...(typeof tool.description === 'string' && { description: tool.description }),
      input_schema: isObject(tool.input_schema) ? tool.input_schema : {},
      ...(isObject(tool.annotations) && { annotations: tool.annotations }),
    }));
  }

  /**
   * The calls that were approved and not made so far, of servers with these labels.
   * @throws HeadgateError `invalid_request` for an answer to a request that is not there.
   */
  approved(labels: ReadonlySet<string>): readonly AskedCall[] {
    for (const id of this.#responses.keys()) {
      if (this.#asked.has(id)) continue;
      const problem = `input: mcp_approval_response names ${JSON.stringify(id)}, but no mcp_approval_request has that id; replay it`;
      throw new HeadgateError('invalid_request', problem);
    }
    return this.#items.flatMap((item) => {
      const asked = askedIn(item, labels);
      return asked !== undefined && !this.#done.has(asked.id) && this.#isApproved(asked) ? [asked] : [];
    });
  }

  /**
   * The conversation as calls of functions with their outputs.
   * @param results What approved calls came to, by the id of their request.
   */
  asCalls(
    labels: ReadonlySet<string>,
    results: ReadonlyMap<string, readonly ContentPart[]>,
  ): readonly Item[] {
    return this.#items.flatMap((item, index): readonly Item[] => {
      if (item.kind !== 'hosted') return [item];
      const { type, fields } = item;
      if (type === 'mcp_approval_response') return [];
      if (!labels.has(String(fields.server_label))) return [item];
      if (type === 'mcp_list_tools') return [];
      if (type === 'mcp_call') return pair(item, String(item.id ?? `mcp_${index}`), [textPart(saidBy(item))]);
      const asked = askedIn(item, labels);
      if (asked === undefined) return [item];
      if (this.#done.has(asked.id)) return [];
      return pair(item, asked.id, results.get(asked.id) ?? [textPart(this.#refusalOf(asked))]);
    });
  }

  #isApproved({ id }: AskedCall): boolean {
    return this.#responses.get(id)?.fields.approve === true;
  }

  #refusalOf({ id }: AskedCall): string {
    const response = this.#responses.get(id);
    if (response === undefined) return 'Nobody has approved this call so far, so it was not made.';
    const { reason } = response.fields;
    return `The user refused this call.${typeof reason === 'string' ? ` Reason: ${reason}` : ''}`;
  }
}

function askedIn(item: Item, labels: ReadonlySet<string>): AskedCall | undefined {
  if (item.kind !== 'hosted' || item.type !== 'mcp_approval_request') return undefined;
  const { server_label, name, arguments: input } = item.fields;
  const label = String(server_label);
  if (!labels.has(label)) return undefined;
  return { id: String(item.id), label, name: String(name), input: String(input) };
}

function saidBy({ fields: { output, error } }: HostedItem): string {
  if (error) return typeof error === 'string' ? error : JSON.stringify(error);
  return typeof output === 'string' ? output : 'No output was kept.';
}

function textPart(text: string): ContentPart {
  return { kind: 'text', text };
}

function pair({ fields }: HostedItem, callId: string, output: readonly ContentPart[]): readonly Item[] {
  const name = mcpFunctionName(String(fields.server_label), String(fields.name));
  return [
    { kind: 'call', form: 'function', callId, name, input: String(fields.arguments) },
    { kind: 'call_output', form: 'function', callId, output },
  ];
}
