import type { MessageItem } from '../../../core/request.ts';
import { blocksOf, readContentBlock } from './read-content.ts';

/** What a block of one client begins with that changes with each request. */
const attribution = 'x-anthropic-billing-header:';

/** The system text, and the block that only providers of this format may see. */
export interface ReadSystem {
  readonly item?: MessageItem;
  /** A first block that names the request for billing; it would defeat every prefix cache elsewhere. */
  readonly attribution?: string;
}

/** Reads `system`: one part for each block, in order. @throws HeadgateError `invalid_request`. */
export function readSystem(value: unknown): ReadSystem {
  if (value === undefined || value === null || value === '') return {};
  const parts = blocksOf(value, 'system').map(([block, path]) => readContentBlock(block, path));
  const [first] = parts;
  const named = first?.kind === 'text' && first.text.startsWith(attribution) ? first.text : undefined;
  const content = named === undefined ? parts : parts.slice(1);
  return {
    ...(content.length > 0 && {
      item: { kind: 'message', role: 'system', content, path: 'system' } as const,
    }),
    ...(named !== undefined && { attribution: named }),
  };
}
