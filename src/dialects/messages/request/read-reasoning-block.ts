import type { ReasoningItem } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';
import { isCarrier, openCarrier } from '../../gateway/carrier.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { optionalText, textMember } from './block-path.ts';

/**
 * Reads `thinking` and `redacted_thinking` (docs/spec/messages.md#thoughts): seals without the gateway's mark are
 * Claude's own, carriers become the reasoning they were made of. Undefined for a carrier that cannot be opened.
 * @throws HeadgateError `invalid_request`.
 */
export function readReasoningBlock(
  block: JsonObject,
  path: string,
  seal: CarrierSeal | undefined,
): ReasoningItem | undefined {
  if (block.type === 'redacted_thinking') {
    const data = textMember(block, 'data', path);
    if (isCarrier(data)) return opened(data, '', path, seal);
    return reasoning(path, { encrypted: data, format: 'anthropic-claude-v1' });
  }
  const text = textMember(block, 'thinking', path);
  const signature = optionalText(block, 'signature', path);
  if (signature !== undefined && isCarrier(signature)) return opened(signature, text, path, seal);
  if (signature === undefined || signature === '') return reasoning(path, { content: [text] });
  return reasoning(path, { content: [text], signature, format: 'anthropic-claude-v1' });
}

function opened(
  carrier: string,
  text: string,
  path: string,
  seal: CarrierSeal | undefined,
): ReasoningItem | undefined {
  const carried = openCarrier(carrier, seal);
  if (carried === undefined) return undefined;
  const { kind, ...members } = carried;
  if (text === '') return reasoning(path, members);
  return reasoning(path, { ...members, ...(kind === 'summary' ? { summary: [text] } : { content: [text] }) });
}

function reasoning(path: string, members: Partial<ReasoningItem>): ReasoningItem {
  return { kind: 'reasoning', summary: [], content: [], path, ...members };
}
