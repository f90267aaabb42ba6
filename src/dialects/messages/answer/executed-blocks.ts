import { createId } from '../../../core/ids.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { searchBlocks, searchResult } from './hosted-writer.ts';
import type { Block } from './message.ts';

const direct = { type: 'direct' } as const;

/**
 * The blocks of a tool that the gateway ran (docs/spec/messages.md#server-tools): the call and its result. Tools for
 * which the format has no result show nothing.
 * @param fields What clients of `POST /responses` see of the call.
 */
export function executedBlocks(type: string, fields: JsonObject): readonly Block[] {
  const id = createId('srvtoolu_hg');
  switch (type) {
    case 'service:web_search':
      return searchBlocks(id, queryOf(fields), resultsOf(fields));
    case 'service:web_fetch':
      return pair(id, 'web_fetch', { url: fields.url ?? '' }, 'web_fetch_tool_result', fetched(fields));
    case 'service:advisor':
      return pair(id, 'advisor', { prompt: fields.prompt ?? '' }, 'advisor_tool_result', {
        type: 'advisor_result',
        text: String(fields.advice ?? fields.error ?? ''),
      });
    case 'service:tool_search':
      return pair(id, 'tool_search_tool_regex', { query: fields.query ?? '' }, 'tool_search_tool_result', {
        ...(fields.error
          ? {
              type: 'tool_search_tool_result_error',
              error_code: 'invalid_tool_input',
              error_message: String(fields.error),
            }
          : {
              type: 'tool_search_tool_search_result',
              tool_references: namesOf(fields).map((tool_name) => ({ type: 'tool_reference', tool_name })),
            }),
      });
    case 'service:shell': {
      const { action, output, error } = fields;
      const result = error ? { error } : { output };
      return pair(id, 'shell', { commands: commandsOf(action) }, 'service_shell_tool_result', result);
    }
    case 'service:bash': {
      const { command, stdout, stderr, exitCode, error } = fields;
      const result = error ? { error } : { stdout, stderr, exitCode };
      return pair(id, 'bash', { command: command ?? '' }, 'service_bash_tool_result', result);
    }
    default:
      return [];
  }
}

function commandsOf(action: unknown): unknown {
  return isObject(action) ? action.commands : [];
}

function pair(id: string, name: string, input: JsonObject, type: string, content: unknown): readonly Block[] {
  return [
    { type: 'server_tool_use', id, name, input, caller: direct },
    { type, tool_use_id: id, content, caller: direct },
  ];
}

function queryOf({ query, action }: JsonObject): string {
  if (typeof query === 'string') return query;
  return isObject(action) && typeof action.query === 'string' ? action.query : '';
}

function resultsOf({ error, results, action }: JsonObject): unknown {
  if (error) return { type: 'web_search_tool_result_error', error_code: 'unavailable' };
  const sources = results ?? (isObject(action) ? action.sources : undefined);
  const found = Array.isArray(sources) ? sources.filter(isObject) : [];
  return found.flatMap(({ url, title }) => (typeof url === 'string' ? searchResult(url, title) : []));
}

function fetched({ url, title, content, error }: JsonObject): JsonObject {
  if (error) return { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' };
  const source = { type: 'text', media_type: 'text/plain', data: String(content ?? '') };
  const document = { type: 'document', source, title: title ?? null, citations: null };
  return { type: 'web_fetch_result', url: url ?? '', content: document, retrieved_at: null };
}

function namesOf({ tools, tool_references }: JsonObject): readonly string[] {
  const found = [tools, tool_references].find(Array.isArray) ?? [];
  return found.flatMap((one: unknown) => {
    if (typeof one === 'string') return one;
    return isObject(one) && typeof one.name === 'string' ? one.name : [];
  });
}
