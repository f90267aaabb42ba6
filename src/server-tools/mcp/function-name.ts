import { createHash } from 'node:crypto';

const longest = 64;
const hashLength = 8;

/**
 * The name of the function that stands for a tool of an MCP server: `mcp__<label>__<tool>`. One that is too long, or whose
 * letters functions may not have, ends in a hash, so that two tools never share a name.
 */
export function mcpFunctionName(label: string, tool: string): string {
  const name = `mcp__${label}__${tool}`;
  const written = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (written === name && name.length <= longest) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  return `${written.slice(0, longest - hashLength - 1)}_${hash}`;
}
