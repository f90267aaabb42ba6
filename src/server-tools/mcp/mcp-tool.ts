import type { ExecutedPart } from '../../core/answer-part.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type {
  CanonicalChat,
  ContentPart,
  FunctionTool,
  HostedItem,
  Item,
  ToolChoice,
} from '../../core/request.ts';
import { EgressFailure } from '../../egress/egress-failure.ts';
import { EgressGuard } from '../../egress/egress-guard.ts';
import { type EgressSettings, egressRules } from '../../egress/egress-rules.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import {
  entryOf,
  type LoopContext,
  type OpenedTool,
  type ServerTool,
  type ToolOffer,
} from '../server-tool.ts';
import { mcpFunctionName } from './function-name.ts';
import type { ApprovalState, McpApprovals } from './mcp-approvals.ts';
import { McpLink, type McpOutcome } from './mcp-link.ts';
import type { McpLists } from './mcp-lists.ts';
import { callFields, mcpOffers, mcpType, resultOf } from './mcp-offer.ts';
import { egressOf, type McpServer, readServers, refuseInsecure } from './mcp-server.ts';
import { McpSession, type McpToolDefinition } from './mcp-session.ts';
import type { McpSettings } from './mcp-settings.ts';

/**
 * Tools of MCP servers, which the gateway asks where no endpoint does (docs/spec/mcp.md). They are listed as `mcp`, one entry a
 * server.
 */
export function mcpTool(services: McpServices): ServerTool {
  const { settings } = services;
  return {
    type: mcpType,
    replaces: {
      kind: 'mcp',
      item: 'mcp_call',
      repeats: true,
      isReady: () => settings().enabled,
      takes: (entry) => isOurs(entry, settings().prefer),
    },
    concerns: (request) => entryOf(request, mcpType) !== undefined || listsServer(request, services),
    // Known only once the servers were asked.
    offer: () => [],
    open: (request, context) =>
      entryOf(request, mcpType) === undefined ? undefined : new McpOpening(request, context, services).open(),
  };
}

/** Whether a request lists a server that the gateway might ask. */
function listsServer({ canonical }: InferenceRequest, { settings }: McpServices): boolean {
  for (const tool of canonical.tools) {
    if (tool.kind === 'hosted' && tool.tool === 'mcp') return settings().enabled;
  }
  return false;
}

/** Connectors are services of a provider, and only the gateway knows the operator's servers. */
function isOurs(
  { server_url: url, connector_id: connector }: JsonObject,
  prefer: 'native' | 'gateway',
): boolean | undefined {
  if (connector !== undefined) return false;
  return url === undefined || prefer === 'gateway' ? true : undefined;
}

/** What MCP servers are asked with. */
interface McpServices {
  readonly settings: () => McpSettings;
  readonly egress: () => EgressSettings;
  readonly approvals: McpApprovals;
  readonly lists: McpLists;
}

/** How many approved calls one request may bring. */
const mostApproved = 30;

/** The MCP servers of one request, from its first look at them to what the model is offered (docs/spec/mcp.md). */
class McpOpening {
  readonly #request: InferenceRequest;
  readonly #context: LoopContext;
  readonly #services: McpServices;
  readonly #settings: McpSettings;
  readonly #history: McpHistory;
  readonly #shown: ExecutedPart[] = [];
  readonly #missing: string[] = [];

  constructor(request: InferenceRequest, context: LoopContext, services: McpServices) {
    this.#request = request;
    this.#context = context;
    this.#services = services;
    this.#settings = services.settings();
    this.#history = new McpHistory(request.canonical.items);
  }

  /** @throws HeadgateError when a server cannot be listed, or an approval does not fit. */
  async open(): Promise<OpenedTool> {
    const entries = this.#request.canonical.serviceTools?.filter(({ type }) => type === mcpType) ?? [];
    const servers = readServers(entries, this.#settings);
    for (const server of servers) refuseInsecure(server, egressRules(this.#services.egress()));
    const links = servers.map((server) => this.#link(server));
    const close = () => {
      for (const link of links) link.close();
    };
    try {
      await Promise.all(links.map((link) => this.#list(link)));
      const offered = links.flatMap((link) => mcpOffers(link, this.#services.approvals));
      const offers = await scanned(offered, this.#context);
      const results = await this.#runApproved(links);
      const labels = new Set(servers.map(({ label }) => label));
      const names = offers.map(({ definition: { name } }) => name);
      const items = this.#history.asCalls(labels, results);
      const canonical = this.#rewrite({ ...this.#request.canonical, items }, names);
      return {
        offers,
        request: { ...this.#request, canonical },
        shown: this.#shown,
        calls: this.#calls,
        close,
      };
    } catch (thrown) {
      close();
      throw thrown;
    }
  }

  get #calls(): number {
    return this.#shown.filter(({ as }) => as === 'mcp_call').length;
  }

  #link(server: McpServer): McpLink {
    const { egress } = this.#services;
    const own = egressOf(server, egress());
    const guard = new EgressGuard(() => (server.isOwn ? own : egress()));
    const limits = { timeout: this.#settings.callTimeout, maxBody: egress().maxBody };
    return new McpLink(server, new McpSession(server, guard, limits, this.#context.signal), this.#settings);
  }

  async #list(link: McpLink): Promise<void> {
    const { label } = link.server;
    try {
      const isNew = await link.open(this.#history.listOf(label), this.#services.lists);
      if (isNew) this.#showList({ server_label: label, tools: [...link.tools.values()] });
    } catch (thrown) {
      if (!(thrown instanceof HeadgateError)) throw thrown;
      if (this.#settings.onListFailure === 'fail') throw asFailure(thrown);
      this.#missing.push(label);
      this.#showList({ server_label: label, tools: [], error: thrown.message }, 'failed');
    }
  }

  #showList(fields: JsonObject, status: 'completed' | 'failed' = 'completed'): void {
    const item = { type: mcpType, as: 'mcp_list_tools', id: createId('mcpl_') } as const;
    this.#shown.push({ kind: 'executed', ...item, fields, status });
  }

  /** Makes the calls that the client has approved. Returns what the model reads of each, by the id of its request. */
  async #runApproved(links: readonly McpLink[]): Promise<ReadonlyMap<string, readonly ContentPart[]>> {
    const byLabel = new Map(links.map((link) => [link.server.label, link]));
    const approved = this.#history.approved(new Set(byLabel.keys()));
    if (approved.length > mostApproved) {
      const problem = `input: at most ${mostApproved} calls may be approved at once, got ${approved.length}`;
      throw new HeadgateError('invalid_request', problem);
    }
    const found = approved.flatMap((call) => {
      const link = byLabel.get(call.label);
      return link === undefined ? [] : [{ call, link, state: this.#check(call, link) }];
    });
    // Only once all of them fit: what is refused must not have half happened.
    if (found.length > 0) await this.#context.checkMeans();
    const results = new Map<string, readonly ContentPart[]>();
    for (const { call, link, state } of found) {
      const changed =
        'This tool has changed since the call was approved. Call it again to have it approved anew.';
      const said = { kind: 'text', text: changed } as const;
      results.set(call.id, state === 'changed' ? [said] : await this.#run(call, link));
    }
    return results;
  }

  #check(call: AskedCall, { server, tools }: McpLink): ApprovalState {
    const { keyHash } = this.#context;
    const asked = { keyHash, label: server.label, url: server.url, name: call.name, input: call.input };
    const state = this.#services.approvals.check(call.id, asked, tools.get(call.name));
    if (state === 'valid' || state === 'changed') return state;
    const problem =
      state === 'expired'
        ? 'was asked more than a day ago; let the model call the tool again'
        : 'is not what was asked here; replay mcp_approval_request as it came, with the same key';
    throw new HeadgateError(
      'invalid_request',
      `input: the approved call ${JSON.stringify(call.id)} ${problem}`,
    );
  }

  async #run(call: AskedCall, link: McpLink): Promise<readonly ContentPart[]> {
    const outcome = await callApproved(call, link);
    const { output, pictured, fields, status } = resultOf(callFields(link, call.name, call.input), outcome);
    this.#shown.push({
      kind: 'executed',
      type: mcpType,
      as: 'mcp_call',
      id: createId('mcp_'),
      fields: { ...fields, approval_request_id: call.id },
      call: { id: call.id, input: call.input, output },
      ...(status && { status }),
    });
    const model = this.#request.models[0] ?? '';
    if (pictured === undefined || !this.#context.readsPictures({ model }))
      return [{ kind: 'text', text: output }];
    return [{ kind: 'text', text: pictured.output }, ...pictured.pictures];
  }

  #rewrite(canonical: CanonicalChat, names: readonly string[]): CanonicalChat {
    const toolChoice = choiceOf(canonical.toolChoice, names);
    if (this.#missing.length === 0) return { ...canonical, toolChoice };
    const missing = `The tools of these MCP servers cannot be used at the moment: ${this.#missing.join(', ')}.`;
    const instructions = [canonical.instructions, missing].filter(Boolean).join('\n\n');
    return { ...canonical, toolChoice, instructions };
  }
}

async function callApproved({ name, input }: AskedCall, link: McpLink): Promise<McpOutcome> {
  const read = parseJson(input);
  if (!isObject(read)) return { text: 'The arguments are not a JSON object.', isError: true };
  return link.call(name, read);
}

/** `allowed_tools` of kind `mcp` means all their functions. */
function choiceOf(choice: ToolChoice, names: readonly string[]): ToolChoice {
  if (choice.kind !== 'allowed' || choice.hosted?.includes('mcp') !== true) return choice;
  const hosted = choice.hosted.filter((kind) => kind !== 'mcp');
  return { ...choice, names: [...choice.names, ...names], hosted };
}

/** The request is at fault where it names what may not be asked, else the server is. */
function asFailure(thrown: HeadgateError): HeadgateError {
  const isRefused = thrown.cause instanceof EgressFailure && thrown.cause.reason === 'refused';
  if (thrown.cause === undefined || isRefused) return thrown;
  return new HeadgateError('tool_server_failed', thrown.message, { cause: thrown });
}

/** Offers whose definitions the caller's guardrails have read. @throws HeadgateError when one blocks them. */
async function scanned(
  offers: readonly ToolOffer[],
  { scanArguments }: LoopContext,
): Promise<readonly ToolOffer[]> {
  const said = offers.map(({ definition: { description, parameters } }) => ({
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  }));
  const given = { tools: said };
  const { tools } = await scanArguments(given);
  if (tools === said || !Array.isArray(tools)) return offers;
  return offers.map((offer, index) => ({
    ...offer,
    definition: { ...offer.definition, ...definitionOf(tools[index]) },
  }));
}

function definitionOf(read: unknown): Pick<FunctionTool, 'description' | 'parameters'> {
  const { description, parameters } = isObject(read) ? read : {};
  return {
    ...(typeof description === 'string' && { description }),
    ...(isObject(parameters) && { parameters }),
  };
}

/** A call that the client was asked to approve. */
interface AskedCall {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly input: string;
}

/** Items of MCP servers in a conversation that a client replays (docs/spec/mcp.md#replay). */
class McpHistory {
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
