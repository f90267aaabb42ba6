import type { Delta } from '../../src/core/delta.ts';
import { Assembler, type AssemblySettings } from '../../src/dialects/gateway/assembly/assembler.ts';
import type {
  OutputItem,
  ResponseEcho,
  ResponseUsage,
  StreamEvent,
} from '../../src/dialects/gateway/assembly/response.ts';
import {
  beginResponse,
  endResponse,
  failResponse,
} from '../../src/dialects/responses/answer/responses-writer.ts';
import { checkStream, type WireEvent } from '../stream-checker.ts';

/** What a response repeats of a request that set nothing (docs/spec/answers.md#response-object). */
export const unsetEcho: ResponseEcho = {
  instructions: null,
  metadata: null,
  temperature: null,
  top_p: null,
  presence_penalty: null,
  frequency_penalty: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  max_output_tokens: null,
  max_tool_calls: null,
  previous_response_id: null,
  safety_identifier: null,
  prompt_cache_key: null,
  user: null,
  reasoning: null,
  text: { format: { type: 'text' } },
  truncation: 'disabled',
  store: false,
  background: false,
  top_logprobs: 0,
  service_tier: null,
};

const noUsage: ResponseUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
  is_byok: false,
};

/** Everything shown, and one tool whose calls nobody waits for. */
export const settings: AssemblySettings = {
  includeEncryptedReasoning: true,
  excludeReasoning: false,
  asyncTools: new Set(['later']),
  include: new Set(['file_search_call.results', 'code_interpreter_call.outputs']),
};

/** Runs deltas through the assembler with the lifecycle around them and checks the grammar of the result. */
export function assemble(
  deltas: readonly Delta[],
  chosen = settings,
): { events: WireEvent[]; output: readonly OutputItem[] } {
  const events: StreamEvent[] = [];
  const assembler = new Assembler(chosen, (event) => events.push(structuredClone(event)));
  const begun = beginResponse({ id: 'resp_1', createdAt: 1, model: 'acme/swift-1', echo: unsetEcho });
  assembler.emit({ type: 'response.created', response: begun });
  assembler.emit({ type: 'response.in_progress', response: begun });
  for (const delta of deltas) assembler.push(delta);
  const ending = { usage: noUsage, completedAt: 2 };
  if (assembler.finishReason === undefined) {
    const error = { code: 'server_error' as const, message: 'broke off' };
    const response = failResponse(begun, assembler.abandon(), error, 'provider_unavailable', ending);
    assembler.emit({ type: 'error', code: error.code, message: error.message, param: null });
    assembler.emit({ type: 'response.failed', response });
  } else {
    const response = endResponse(begun, assembler.output, assembler.finishReason, ending);
    const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete';
    assembler.emit({ type, response });
  }
  const wire = events as unknown as WireEvent[];
  const terminal = checkStream(wire);
  return { events: wire, output: terminal.output as OutputItem[] };
}
