import { isObject, type JsonObject } from '../../../util/json.ts';
import { shellLine } from '../../../util/shell-line.ts';

/**
 * Shapes the members of a hosted item so that every client can read them (docs/spec/items.md#kinds,
 * docs/spec/answers.md#what-clients-need).
 */
export type ShapeMembers = (members: JsonObject, include: ReadonlySet<string>) => JsonObject;

/** A search always has a `query`, also where the provider lists several. */
export const shapeWebSearch: ShapeMembers = (members) => {
  const { action } = members;
  if (!isObject(action) || action.type !== 'search' || typeof action.query === 'string') return members;
  const [query] = listOf(action.queries);
  return { ...members, action: { ...action, query: textOf(query) } };
};

/** Results of a file search are shown to those who asked for them. */
export const shapeFileSearch: ShapeMembers = ({ results, ...members }, include) => {
  const shown = include.has('file_search_call.results') && results !== undefined;
  return { ...members, queries: listOf(members.queries), ...(shown && { results }) };
};

/** Of a picture one client reads nothing but text in the end, also where it failed. */
export const shapePicture: ShapeMembers = (members) => ({
  ...members,
  result: members.result === null ? null : textOf(members.result),
});

/** What code wrote is shown to those who asked for it; all three keys are there in any case. */
export const shapeCodeInterpreter: ShapeMembers = (members, include) => ({
  ...members,
  code: typeof members.code === 'string' ? members.code : null,
  container_id: textOf(members.container_id),
  outputs:
    include.has('code_interpreter_call.outputs') && Array.isArray(members.outputs) ? members.outputs : null,
});

/** Safety checks have a code and a message, perhaps empty. */
export const shapeComputerCall: ShapeMembers = (members) => ({
  ...members,
  pending_safety_checks: listOf(members.pending_safety_checks)
    .filter(isObject)
    .map((check) => ({ ...check, code: textOf(check.code), message: textOf(check.message) })),
});

/** Both numbers of a shell's action are always there. */
export const shapeShellCall: ShapeMembers = (members) => {
  const action = isObject(members.action) ? members.action : {};
  return {
    ...members,
    action: {
      ...action,
      commands: listOf(action.commands),
      timeout_ms: action.timeout_ms ?? null,
      max_output_length: action.max_output_length ?? null,
    },
  };
};

/**
 * A call of the older local shell as one of the shell: its command as one line. `arguments` keeps the action
 * itself, so that a replay can hand it back as it was.
 */
export const shapeLocalShellCall: ShapeMembers = ({ action: made, ...members }) => {
  const action = isObject(made) ? made : {};
  const words = listOf(action.command).map(textOf);
  return {
    ...members,
    action: {
      commands: words.length === 0 ? [] : [shellLine(words)],
      timeout_ms: action.timeout_ms ?? null,
      max_output_length: null,
    },
    arguments: JSON.stringify(action),
  };
};

/** A shell's answer is a list, perhaps empty. */
export const shapeShellOutput: ShapeMembers = (members) => ({ ...members, output: listOf(members.output) });

/** One client refuses tools with a null description. */
export const shapeMcpTools: ShapeMembers = (members) => ({
  ...members,
  server_label: textOf(members.server_label),
  tools: listOf(members.tools).filter(isObject).map(withoutNulls),
});

/** A call of an MCP server names server and tool, and its arguments are text. */
export const shapeMcpCall: ShapeMembers = (members) => ({
  ...members,
  server_label: textOf(members.server_label),
  name: textOf(members.name),
  arguments: textOf(members.arguments),
});

/** The members that are not null. */
export function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
