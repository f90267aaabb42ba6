import type { AgentMessageItem, ContentPart, MessageItem } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';

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
