import type { HostedItem, Item, ServiceItem } from '../../../core/request.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { textMember } from './block-path.ts';

/** What ids of calls begin with that the gateway ran itself. */
export const ownCallPrefix = 'srvtoolu_hg';

/** What ids of searches begin with that a provider of another format ran. */
const foreignPrefix = 'srvtoolu_hs';

/** The gateway's tools by the names they have in blocks. */
export const serviceToolNames: Readonly<Record<string, `service:${string}`>> = {
  web_search: 'service:web_search',
  web_fetch: 'service:web_fetch',
  advisor: 'service:advisor',
  tool_search_tool_regex: 'service:tool_search',
  shell: 'service:shell',
  bash: 'service:bash',
};

/** Whether a block is the result of the server call with this id. */
export function isServerResult(block: JsonObject | undefined, id: unknown): block is JsonObject {
  return block !== undefined && block.tool_use_id === id && String(block.type).endsWith('_tool_result');
}

/**
 * Reads a server call and its result as one item (docs/spec/messages.md#server-tools). A call of the gateway's own
 * becomes a `service:*` item, others go back to the provider that ran them; undefined where nobody could read it.
 * @throws HeadgateError `invalid_request`.
 */
export function readServerUse(
  use: JsonObject,
  result: JsonObject | undefined,
  path: string,
): Item | undefined {
  const id = textMember(use, 'id', path);
  const name = textMember(use, 'name', path);
  const input = isObject(use.input) ? use.input : {};
  const blocks = result === undefined ? [use] : [use, result];
  refuseDeep(blocks, path);
  const type = id.startsWith(ownCallPrefix) ? serviceToolNames[name] : undefined;
  if (type !== undefined) {
    const item: ServiceItem = {
      kind: 'service',
      type,
      fields: serviceFields(type, input, shownResult(result)),
      path,
    };
    return item;
  }
  const item: HostedItem = {
    kind: 'hosted',
    type: /code_execution/.test(name) ? 'code_interpreter_call' : 'web_search_call',
    status: 'completed',
    fields: {
      ...hostedFields(name, input, result),
      ...(id.startsWith(foreignPrefix)
        ? {}
        : { format: 'anthropic-claude-v1', signature: JSON.stringify(blocks.map(withoutMark)) }),
    },
    path,
  };
  return item;
}

/** Commands get the members of the gateway's own items; other tools keep their whole result in one member. */
function serviceFields(type: string, input: JsonObject, result: unknown): JsonObject {
  if ((type === 'service:shell' || type === 'service:bash') && isObject(result))
    return { ...result, arguments: JSON.stringify(input) };
  return { ...input, status: 'completed', result };
}

function hostedFields(name: string, input: JsonObject, result: JsonObject | undefined): JsonObject {
  if (/code_execution/.test(name)) return { code: textOf(input.code) ?? '', container_id: '', outputs: [] };
  if (name === 'web_fetch') return { action: { type: 'open_page', url: textOf(input.url) ?? '' } };
  const query = textOf(input.query) ?? '';
  const found = Array.isArray(result?.content) ? result.content.filter(isObject) : [];
  const sources = found.flatMap(({ url }) => (typeof url === 'string' ? { type: 'url', url } : []));
  return { action: { type: 'search', query, queries: [query], sources } };
}

function withoutMark({ cache_control: _mark, ...block }: JsonObject): JsonObject {
  return block;
}

function shownResult(result: JsonObject | undefined): unknown {
  return result?.content ?? '';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
