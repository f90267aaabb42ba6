import type { CanonicalRequest, CustomTool, FunctionTool, Tool } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { type Behaviour, blocks, marker, type Piece, speak } from './behaviour.ts';
import { fittingJson } from './fitting-json.ts';
import { itemText, jsonTokens, words } from './words.ts';

/**
 * Calls the first function offered, or the tool that the choice names; once a result is in the input, answers with
 * it.
 */
export const tools: Behaviour = (upstreamCall) => {
  const { request } = upstreamCall;
  const result = request.items.findLast((item) => item.kind === 'call_output');
  if (result) return answerText(`The tool answered: ${itemText(result)}`);
  const tool = chooseTool(request);
  return tool ? call(tool, upstreamCall) : answerText('There was no tool to call.');
};

/** A tool that the client runs; the sandbox can call no other. */
type ClientTool = FunctionTool | CustomTool;

function chooseTool({ tools, toolChoice }: CanonicalRequest): ClientTool | undefined {
  const offered = tools.filter(isClientTool);
  if (toolChoice.kind === 'none') return undefined;
  if (toolChoice.kind === 'tool') return offered.find((tool) => tool.name === toolChoice.name);
  const names = toolChoice.kind === 'allowed' ? new Set(toolChoice.names) : undefined;
  const allowed = names === undefined ? offered : offered.filter((tool) => names.has(tool.name));
  return allowed.find((tool) => tool.kind === 'function') ?? allowed[0];
}

function isClientTool(tool: Tool): tool is ClientTool {
  return tool.kind === 'function' || tool.kind === 'custom';
}

function call(tool: ClientTool, upstreamCall: UpstreamCall): Piece[] {
  const { request } = upstreamCall;
  const earlier = request.items.filter((item) => item.kind === 'call').length;
  const callId = `call_sandbox_${earlier + 1}`;
  const input =
    tool.kind === 'custom'
      ? words(`${marker}input`)
      : jsonTokens(fittingJson(upstreamCall, tool.parameters ?? {}));
  return [
    { kind: 'call', block: blocks.call, form: tool.kind, name: tool.name, callId },
    ...speak('arguments', blocks.call, input),
    { kind: 'end', block: blocks.call },
  ];
}

function answerText(text: string): Piece[] {
  return speak('text', blocks.text, [marker, ...words(text)]);
}
