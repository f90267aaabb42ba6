import type { AskedFacts } from '../../ports/call-notes.ts';
import type { JsonObject } from '../../util/json.ts';

const parameters = { type: 'object', properties: {} };

/** What tools need besides their type, so that a body with them can be read. @param name Unlike those of other tools. */
function needsOf(type: string, name: string): JsonObject {
  switch (type) {
    case 'function':
      return { name, parameters };
    case 'custom':
      return { name };
    case 'namespace':
      return { name, description: 'An example', tools: [{ type: 'function', name: 'example', parameters }] };
    case 'mcp':
      return { server_label: name, server_url: 'https://mcp.example/sse' };
    case 'file_search':
      return { vector_store_ids: ['vs_example'] };
    case 'code_interpreter':
      return { container: { type: 'auto' } };
    case 'computer_use_preview':
      return { display_width: 1024, display_height: 768, environment: 'browser' };
    default:
      return {};
  }
}

/**
 * A body that is routed like that of a call, for asking where it would go now: its models, preferences and kinds of tools. It
 * has nothing of what was said, and stands in for names and schemas of tools.
 */
export function replayBody({
  models,
  provider,
  tools,
  maxOutputTokens,
  effort,
  format,
}: AskedFacts): JsonObject {
  const answer = { name: 'answer', schema: parameters };
  return {
    ...(models.length === 1 ? { model: models[0] } : { models }),
    ...(Object.keys(provider).length > 0 && { provider }),
    ...(tools.length > 0 && { tools: tools.map(exampleOf) }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(format !== undefined && {
      text: { format: { type: format, ...(format === 'json_schema' && answer) } },
    }),
  };
}

function exampleOf(type: string, place: number): JsonObject {
  return { type, ...needsOf(type, `example_${place + 1}`) };
}
