import type { CallToolResult } from '@modelcontextprotocol/client';

type Content = NonNullable<CallToolResult['content']>[number];

/** What a tool said, as text: media are named, not shown (docs/spec/mcp.md#calls). @param most Characters. */
export function callResultText({ content = [], structuredContent }: CallToolResult, most: number): string {
  const texts = content.map(textOf);
  const hasStructure = texts.length === 0 && structuredContent !== undefined;
  const whole = hasStructure ? JSON.stringify(structuredContent) : texts.join('\n');
  return whole.length <= most ? whole : `${whole.slice(0, most)}\n[cut off after ${most} characters]`;
}

function textOf(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}, ${bytesOf(part.data)} bytes, not shown]`;
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
