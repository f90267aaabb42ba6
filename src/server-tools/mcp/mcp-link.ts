import type { CallToolResult } from '@modelcontextprotocol/client';
import { HeadgateError } from '../../core/errors.ts';
import type { ImagePart } from '../../core/request.ts';
import { EgressFailure } from '../../egress/egress-failure.ts';
import type { JsonObject } from '../../util/json.ts';
import { knownPictureType } from '../../util/picture-type.ts';
import type { PicturedResult } from '../server-tool.ts';
import type { McpLists } from './mcp-lists.ts';
import { listKeyOf, type McpServer } from './mcp-server.ts';
import type { McpSession, McpToolDefinition } from './mcp-session.ts';
import type { McpSettings } from './mcp-settings.ts';

/** What came of a call: what the tool said, and whether that is an error. */
export interface McpOutcome {
  readonly text: string;
  readonly pictured?: PicturedResult | undefined;
  readonly isError: boolean;
}

const mostFailures = 3;

/** One MCP server while a request uses it: its tools, and calls of them (docs/spec/mcp.md#calls). */
export class McpLink {
  readonly server: McpServer;
  readonly #session: McpSession;
  readonly #settings: McpSettings;
  #tools: ReadonlyMap<string, McpToolDefinition> = new Map();
  #failures = 0;

  constructor(server: McpServer, session: McpSession, settings: McpSettings) {
    this.server = server;
    this.#session = session;
    this.#settings = settings;
  }

  /** The tools that may be called, by name. */
  get tools(): ReadonlyMap<string, McpToolDefinition> {
    return this.#tools;
  }

  /**
   * Finds the tools: those of a list that the client replays, else those kept, else the server's own.
   * @returns Whether the client has not seen them.
   * @throws HeadgateError when there are none, or too many.
   */
  async open(replayed: readonly McpToolDefinition[] | undefined, lists: McpLists): Promise<boolean> {
    const key = listKeyOf(this.server);
    let listed = replayed ?? lists.get(key);
    if (listed === undefined) {
      listed = await this.#session.list();
      lists.set(key, listed, this.#settings.listTtl);
    }
    this.#tools = this.#allowed(listed);
    return replayed === undefined;
  }

  /** Calls a tool; a failure of the server is an outcome. @throws when the request is aborted. */
  async call(name: string, input: JsonObject): Promise<McpOutcome> {
    const { label } = this.server;
    if (this.#failures >= mostFailures) {
      return { text: `The MCP server "${label}" is out of order; do not call it again.`, isError: true };
    }
    try {
      const result = await this.#callOnce(name, input);
      this.#failures = 0;
      const most = this.#settings.resultLimit;
      return {
        text: callResultText(result, most),
        pictured: picturedResult(result, most),
        isError: result.isError === true,
      };
    } catch (thrown) {
      if (!(thrown instanceof HeadgateError)) throw thrown;
      this.#failures += 1;
      return { text: thrown.message, isError: true };
    }
  }

  close(): void {
    void this.#session.close();
  }

  /** A call that changes nothing is made once more where the connection was lost. */
  async #callOnce(name: string, input: JsonObject) {
    try {
      return await this.#session.call(name, input);
    } catch (thrown) {
      const isLost = thrown instanceof HeadgateError && isUnreachable(thrown.cause);
      if (!isLost || this.#tools.get(name)?.annotations?.readOnlyHint !== true) throw thrown;
      return this.#session.call(name, input);
    }
  }

  #allowed(listed: readonly McpToolDefinition[]): ReadonlyMap<string, McpToolDefinition> {
    const { label, allowedTools, readOnly } = this.server;
    const { maxTools } = this.#settings;
    const allowed = listed.filter(
      ({ name, annotations }) =>
        (allowedTools === undefined || allowedTools.has(name)) &&
        (!readOnly || annotations?.readOnlyHint === true),
    );
    if (allowed.length === 0) {
      const problem = `tools: the MCP server "${label}" offers none of the tools that may be called; check allowed_tools`;
      throw new HeadgateError('invalid_request', problem);
    }
    if (allowed.length > maxTools) {
      const problem = `tools: the MCP server "${label}" offers ${allowed.length} tools, at most ${maxTools} may be listed; name some in allowed_tools`;
      throw new HeadgateError('invalid_request', problem);
    }
    const byName = new Map(allowed.map((tool) => [tool.name, tool]));
    if (byName.size < allowed.length)
      throw new HeadgateError('unprocessable', `tools: the MCP server "${label}" has two tools of one name`);
    return byName;
  }
}

function isUnreachable(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof EgressFailure) return error.reason === 'unreachable';
  }
  return false;
}

type Content = NonNullable<CallToolResult['content']>[number];

/** Pictures of one result that a model is shown, and the characters of each. */
const mostPictures = 4;
const largestPicture = 5_000_000;

/** What a tool said, as text: media are named, not shown (docs/spec/mcp.md#calls). @param most Characters. */
function callResultText(result: CallToolResult, most: number): string {
  return textOf(result, new Set(), most);
}

/** The same with its pictures, for models that read them; undefined where there are none. @param most Characters. */
export function picturedResult(result: CallToolResult, most: number): PicturedResult | undefined {
  const shown = (result.content ?? []).filter(isPicture).slice(0, mostPictures);
  if (shown.length === 0) return undefined;
  const pictures = shown.map(({ data }): ImagePart => {
    return { kind: 'image', url: `data:${knownPictureType(data)};base64,${data}`, detail: 'auto' };
  });
  return { output: textOf(result, new Set<Content>(shown), most), pictures };
}

function isPicture(part: Content): part is Extract<Content, { type: 'image' }> {
  return (
    part.type === 'image' && part.data.length <= largestPicture && knownPictureType(part.data) !== undefined
  );
}

function textOf(
  { content = [], structuredContent }: CallToolResult,
  shown: ReadonlySet<Content>,
  most: number,
): string {
  const texts = content.map((part) => wordsOf(part, shown.has(part)));
  const hasStructure = texts.length === 0 && structuredContent !== undefined;
  const whole = hasStructure ? JSON.stringify(structuredContent) : texts.join('\n');
  return whole.length <= most ? whole : `${whole.slice(0, most)}\n[cut off after ${most} characters]`;
}

function wordsOf(part: Content, isShown: boolean): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}, ${bytesOf(part.data)} bytes, ${isShown ? 'see below' : 'not shown'}]`;
    case 'resource_link':
      return `[resource: ${part.name}, ${part.uri}]`;
    case 'resource': {
      const { resource } = part;
      if ('text' in resource) return resource.text;
      return `[resource: ${resource.uri}, ${resource.mimeType ?? 'unknown type'}, ${bytesOf(resource.blob)} bytes, not shown]`;
    }
    default:
      return '[content of an unknown kind]';
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
