import type { HostedKind } from '../../../core/hosted.ts';
import type { ServiceTool, Tool } from '../../../core/request.ts';
import { malformed, nameOf } from '../../../schema/fault.ts';
import { asList, asObject, rowFor, schemasOf } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import { anyOf, list, type TSchema } from '../../../util/json-schema.ts';
import type { Speller } from '../models.ts';
import { serviceTools, toolKinds } from './tool-kinds.ts';
import { ToolNames } from './tool-names.ts';

/** The public schemas of every kind of tool. */
export const toolSchemas: readonly TSchema[] = schemasOf('Tool', toolKinds);

/** The public schema of `tools`. */
export const ToolsSchema: TSchema = list(anyOf(...toolSchemas));

/** The tools of a request, and how the response repeats them. */
export interface ReadTools {
  readonly tools: readonly Tool[];
  /** Undefined without any. */
  readonly serviceTools?: readonly ServiceTool[];
  readonly echo: readonly JsonObject[];
  /** Where the first function stands that has to be found. */
  readonly hidden?: string | undefined;
}

/** Tools an item adds, and its entries of kinds that nobody here knows. */
export interface AddedTools {
  readonly tools: readonly Tool[];
  readonly others: readonly JsonObject[];
  readonly services: readonly ServiceTool[] | undefined;
  /** Where the first function stands that has to be found. */
  readonly hidden: string | undefined;
}

/**
 * Reads `tools`.
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when two tools share a name.
 */
export function readTools(value: unknown, spell: Speller): ReadTools {
  if (value === undefined || value === null) return { tools: [], echo: [] };
  const gathered = new GatheredTools();
  const echo: JsonObject[] = [];
  let hidden: string | undefined;
  for (const [index, entry] of asList(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    const raw = asObject(entry, path);
    refuseDeep(raw, path);
    const read = rowFor(toolKinds, raw, path, spell).read(raw, path);
    gathered.add(read.tool, path);
    hidden ??= hiddenIn(read.tool, path);
    // The published response has no form for them, and some clients refuse what they do not know.
    if (read.tool.kind !== 'service') echo.push(read.echo);
  }
  return { tools: gathered.tools, serviceTools: gathered.serviceTools, echo, hidden };
}

/** Where the first function of a tool stands that has to be found. */
function hiddenIn(tool: Tool | ServiceTool, path: string): string | undefined {
  if (tool.kind === 'function') return tool.deferred === true ? path : undefined;
  if (tool.kind !== 'namespace') return undefined;
  const at = tool.tools.findIndex((member) => member.kind === 'function' && member.deferred === true);
  return at === -1 ? undefined : `${path}.tools[${at}]`;
}

/**
 * @param hidden Where a function stands that has to be found.
 * @throws HeadgateError `invalid_request` when nothing could find it.
 */
export function refuseUnfindable(hidden: string | undefined, services: readonly ServiceTool[] = []): void {
  if (hidden === undefined || services.some(({ type }) => type === 'service:tool_search')) return;
  throw malformed(
    `${hidden}.defer_loading`,
    'requires the tool "service:tool_search"; list it, or leave this out',
  );
}

/**
 * Reads the tools of an `additional_tools` item: entries of unknown kinds are kept as they are, because newer
 * clients and providers may understand each other. A name may repeat one of the request's own tools.
 * @throws HeadgateError as for `tools`.
 */
export function readAddedTools(value: unknown, path: string, spell: Speller): AddedTools {
  const gathered = new GatheredTools();
  const others: JsonObject[] = [];
  let hidden: string | undefined;
  for (const [index, entry] of asList(value, path).entries()) {
    const place = `${path}[${index}]`;
    const raw = asObject(entry, place);
    refuseDeep(raw, place);
    if (isForeign(raw.type, `${place}.type`, spell)) {
      others.push(raw);
      continue;
    }
    const { tool } = rowFor(toolKinds, raw, place, spell).read(raw, place);
    gathered.add(tool, place);
    hidden ??= hiddenIn(tool, place);
  }
  return { tools: gathered.tools, services: gathered.serviceTools, others, hidden };
}

function isForeign(type: unknown, path: string, spell: Speller): boolean {
  if (typeof type !== 'string') {
    throw malformed(
      path,
      type === undefined ? 'is required, expected a string' : `expected a string, got ${nameOf(type)}`,
    );
  }
  const name = spell(type);
  return !toolKinds.rows.has(name) && !serviceTools.has(name);
}

/** Kinds the service has a tool for as well: of those the first entry counts (docs/spec/tools.md#tools-sent-twice). */
const single: ReadonlySet<HostedKind> = new Set([
  'web_search',
  'image_generation',
  'shell',
  'local_shell',
  'apply_patch',
]);

/** Collects the tools of a request. */
export class GatheredTools {
  readonly tools: Tool[] = [];
  #serviceTools: ServiceTool[] | undefined;
  readonly #names = new ToolNames();
  readonly #seen = new Set<HostedKind>();

  /** The tools of the gateway; undefined without any. */
  get serviceTools(): readonly ServiceTool[] | undefined {
    return this.#serviceTools;
  }

  /** @throws HeadgateError `unprocessable` when an earlier tool has its name. */
  add(tool: Tool | ServiceTool, path: string): void {
    if (tool.kind === 'service') {
      this.#serviceTools = [...(this.#serviceTools ?? []), tool];
      return;
    }
    this.#names.take(tool, path);
    if (tool.kind === 'hosted' && single.has(tool.tool)) {
      if (this.#seen.has(tool.tool)) return;
      this.#seen.add(tool.tool);
    }
    this.tools.push(tool);
  }
}
