import type { CallOutputItem, ContentPart, Item } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';

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
