import type { ContentPart, FilePart, Item } from '../../core/request.ts';

/** The file parts of messages and tool outputs, in their order. */
export function filesIn(items: readonly Item[]): readonly FilePart[] {
  const files: FilePart[] = [];
  for (const item of items) {
    for (const part of contentOf(item)) if (part.kind === 'file') files.push(part);
  }
  return files;
}

/** Whether any item holds a file; asked for every request. */
export function holdsFiles(items: readonly Item[]): boolean {
  for (const item of items) {
    for (const part of contentOf(item)) if (part.kind === 'file') return true;
  }
  return false;
}

/** Items with other parts in place of some; an item without any of these stays the same object. */
export function replaceParts(
  items: readonly Item[],
  replace: (part: ContentPart) => readonly ContentPart[] | undefined,
): readonly Item[] {
  let isChanged = false;
  const replaced = items.map((item) => {
    const content = contentOf(item);
    let next: ContentPart[] | undefined;
    for (const [index, part] of content.entries()) {
      const parts = replace(part);
      if (parts !== undefined) next ??= content.slice(0, index);
      next?.push(...(parts ?? [part]));
    }
    if (next === undefined) return item;
    isChanged = true;
    return withContent(item, next);
  });
  return isChanged ? replaced : items;
}

const none: readonly ContentPart[] = [];

function contentOf(item: Item): readonly ContentPart[] {
  if (item.kind === 'message') return item.content;
  return item.kind === 'call_output' ? item.output : none;
}

function withContent(item: Item, parts: readonly ContentPart[]): Item {
  if (item.kind === 'message') return { ...item, content: parts };
  return item.kind === 'call_output' ? { ...item, output: parts } : item;
}
