import type { Item, MessageItem } from './request.ts';

/** Whether an item is a system message. */
export function isSystem(item: Item): item is MessageItem {
  return item.kind === 'message' && (item.role === 'system' || item.role === 'developer');
}
