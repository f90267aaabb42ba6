import { offeredTools } from '../core/client-tools.ts';
import type { Effort } from '../core/efforts.ts';
import type {
  AgentMessageItem,
  CallOutputItem,
  ContentPart,
  Item,
  MessageItem,
  Tool,
} from '../core/request.ts';
import { featureOfPart } from './features-used.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Applies items that change the request from their place on to all of it (docs/spec/items.md#additional-tools,
 * docs/spec/items.md#configuration-updates).
 */
export function mergeItems(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('item.additional_tools') !== undefined) mergeTools(rewriter);
  if (rewriter.emulationOf('item.configuration_update') !== undefined) mergeUpdates(rewriter);
}

function mergeTools(rewriter: RequestRewriter): void {
  const { items } = rewriter.request;
  const unknown = items.some((item) => item.kind === 'additional_tools' && item.others !== undefined);
  rewriter.change({
    tools: withoutRepeats(offeredTools(rewriter.request)),
    items: items.filter((item) => item.kind !== 'additional_tools'),
  });
  const lost = unknown ? '; tools of unknown kinds are left out' : '';
  rewriter.note(
    'item.additional_tools',
    'emulated',
    `the tools are offered from the beginning, the last of one name${lost}`,
  );
}

/**
 * Of tools with the same name keeps the last, at the place of the first, so that cached prefixes stay valid.
 */
function withoutRepeats(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const { server_label: server = '' } = tool.kind === 'hosted' ? tool.settings : {};
    byName.set(tool.kind === 'hosted' ? `hosted ${tool.tool} ${server}` : tool.name, tool);
  }
  return [...byName.values()];
}

function mergeUpdates(rewriter: RequestRewriter): void {
  let effort: Effort | undefined;
  const items: Item[] = [];
  for (const item of rewriter.request.items) {
    if (item.kind === 'configuration_update') effort = item.effort;
    else items.push(item);
  }
  // The budget was stated before the effort and would override it.
  const { maxTokens: _budget, ...control } = rewriter.request.reasoning ?? {};
  rewriter.change({ items, reasoning: { ...control, effort } });
  rewriter.note('item.configuration_update', 'emulated', 'the last effort holds for the whole request');
}

/** Rewrites messages between agents as user messages. Leaves out what only its maker can read. */
export function rewriteAgentMessages(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('item.agent_message') === undefined) return;
  let sealed = false;
  rewriter.mapItems((item) => {
    if (item.kind !== 'agent_message') return item;
    sealed ||= item.content.some((part) => part.kind === 'encrypted');
    return toMessage(item) ?? [];
  });
  const lost = sealed ? '; encrypted parts cannot be read here and are left out' : '';
  rewriter.note('item.agent_message', 'emulated', `told as a message of the user${lost}`);
}

function toMessage({ id, author, recipient, content }: AgentMessageItem): MessageItem | undefined {
  const readable = content.filter((part): part is ContentPart => part.kind !== 'encrypted');
  if (readable.length === 0) return undefined;
  const heading: ContentPart = { kind: 'text', text: `Message from agent ${author} to ${recipient}:` };
  return { kind: 'message', id, role: 'user', content: [heading, ...readable] };
}

const failed = 'The tool failed:';

/**
 * Says in text what only the Messages format has a place for (docs/spec/messages.md#elsewhere): search results and
 * other blocks, what is said about a document, and that a tool failed.
 */
export function rewriteBlocks(rewriter: RequestRewriter): void {
  const blocks = rewriter.emulationOf('input.block') !== undefined;
  const contexts = rewriter.emulationOf('input.file.context') !== undefined;
  const errors = rewriter.emulationOf('tool_output.error') !== undefined;
  if (!blocks && !contexts && !errors) return;
  const inWords = (part: ContentPart): ContentPart | readonly ContentPart[] => {
    if (part.kind === 'block' && blocks && part.text !== undefined) {
      const { text, cacheControl, place, path } = part;
      return { kind: 'text', text, cacheControl, place, path };
    }
    if (part.kind !== 'file' || !contexts) return part;
    const { context, cites: _left, ...file } = part;
    return context === undefined ? file : [{ kind: 'text', text: context }, file];
  };
  rewriter.mapItems((item): Item => {
    if (item.kind === 'message') return { ...item, content: item.content.flatMap(inWords) };
    if (item.kind !== 'call_output') return item;
    const output = item.output.flatMap(inWords);
    return errors && item.isError === true ? withWords({ ...item, output }) : { ...item, output };
  });
  for (const feature of ['input.block', 'input.file.context', 'tool_output.error'] as const) {
    if (rewriter.emulationOf(feature) !== undefined) rewriter.note(feature, 'emulated', 'told as text');
  }
}

/** A failed output that begins by saying so. */
function withWords({ isError: _said, output, ...item }: CallOutputItem): CallOutputItem {
  const [first, ...others] = output;
  if (first?.kind === 'text') {
    return { ...item, output: [{ ...first, text: `${failed}\n${first.text}` }, ...others] };
  }
  return { ...item, output: [{ kind: 'text', text: failed }, ...output] };
}

/**
 * Moves media of the model or the system into user messages (docs/spec/items.md#messages), because providers accept
 * pictures only from the user.
 */
export function moveMedia(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('input.message.media') === undefined) return;
  rewriter.mapItems((item) => (item.kind === 'message' && item.role !== 'user' ? splitMessage(item) : item));
  rewriter.note('input.message.media', 'emulated', 'shown by the user, in its place');
}

/** Splits a message into pieces, each either text or media for the user. */
function splitMessage(item: MessageItem): readonly MessageItem[] {
  const stretches: ContentPart[][] = [];
  for (const part of item.content) {
    const last = stretches.at(-1);
    if (last?.[0] !== undefined && isMedium(last[0]) === isMedium(part)) last.push(part);
    else stretches.push([part]);
  }
  if (stretches.length === 0) return [item];
  return stretches.map((content) =>
    content.some(isMedium) ? { kind: 'message', role: 'user', content } : { ...item, content },
  );
}

function isMedium(part: ContentPart): boolean {
  return featureOfPart(part) !== undefined;
}
