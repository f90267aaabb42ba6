import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ImagePart } from '../../core/request.ts';
import { knownPictureType } from '../../util/picture-type.ts';
import type { PicturedResult } from '../server-tool.ts';

type Content = NonNullable<CallToolResult['content']>[number];

/** Pictures of one result that a model is shown, and the characters of each. */
const mostPictures = 4;
const largestPicture = 5_000_000;

/** What a tool said, as text: media are named, not shown (docs/spec/mcp.md#calls). @param most Characters. */
export function callResultText(result: CallToolResult, most: number): string {
  return textOf(result, new Set(), most);
}

/** The same with its pictures, for models that read them; undefined where there are none. @param most Characters. */
export function picturedResult(result: CallToolResult, most: number): PicturedResult | undefined {
  const shown = (result.content ?? []).filter(isPicture).slice(0, mostPictures);
  if (shown.length === 0) return undefined;
  const pictures = shown.map(({ data }): ImagePart => {
    return { kind: 'image', url: `data:${knownPictureType(data)};base64,${data}`, detail: 'auto' };
  });
  return { output: textOf(result, new Set<Content>(shown), most), pictures };
}

function isPicture(part: Content): part is Extract<Content, { type: 'image' }> {
  return (
    part.type === 'image' && part.data.length <= largestPicture && knownPictureType(part.data) !== undefined
  );
}

function textOf(
  { content = [], structuredContent }: CallToolResult,
  shown: ReadonlySet<Content>,
  most: number,
): string {
  const texts = content.map((part) => wordsOf(part, shown.has(part)));
  const hasStructure = texts.length === 0 && structuredContent !== undefined;
  const whole = hasStructure ? JSON.stringify(structuredContent) : texts.join('\n');
  return whole.length <= most ? whole : `${whole.slice(0, most)}\n[cut off after ${most} characters]`;
}

function wordsOf(part: Content, isShown: boolean): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}, ${bytesOf(part.data)} bytes, ${isShown ? 'see below' : 'not shown'}]`;
    case 'resource_link':
      return `[resource: ${part.name}, ${part.uri}]`;
    case 'resource': {
      const { resource } = part;
      if ('text' in resource) return resource.text;
      return `[resource: ${resource.uri}, ${resource.mimeType ?? 'unknown type'}, ${bytesOf(resource.blob)} bytes, not shown]`;
    }
    default:
      return '[content of an unknown kind]';
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
