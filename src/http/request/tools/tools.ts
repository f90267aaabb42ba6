import type { TSchema } from '../../../core/json-schema.ts';
import type { JsonObject, Tool } from '../../../core/request.ts';
import type { Speller } from '../aliases.ts';
import { contradictory, quote } from '../fault.ts';
import { asList, asObject, rowFor } from '../kind-table.ts';
import { refuseDeep } from '../refuse-deep.ts';
import { anyOf, list } from '../schema.ts';
import { toolKinds } from './tool-kinds.ts';

/** The public schema of `tools`. */
export const ToolsSchema: TSchema = list(anyOf(...Array.from(toolKinds.rows.values(), (row) => row.schema)));

/** The tools of a request, and how the response repeats them. */
export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly echo: readonly JsonObject[];
}

/**
 * Reads `tools`.
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when two tools share a name.
 */
export function readTools(value: unknown, spell: Speller): ReadTools {
  if (value === undefined || value === null) return { tools: [], echo: [] };
  const tools: Tool[] = [];
  const echo: JsonObject[] = [];
  const places = new Map<string, string>();
  for (const [index, entry] of asList(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    const raw = asObject(entry, path);
    refuseDeep(raw, path);
    const read = rowFor(toolKinds, raw, path, spell).read(raw, path);
    const earlier = places.get(read.tool.name);
    if (earlier !== undefined) {
      throw contradictory(`${path}.name`, `${quote(read.tool.name)} is already the name of ${earlier}`);
    }
    places.set(read.tool.name, path);
    tools.push(read.tool);
    echo.push(read.echo);
  }
  return { tools, echo };
}
