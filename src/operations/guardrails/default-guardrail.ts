import { createHash } from 'node:crypto';

/** The id that a workspace's default guardrail has or will have: a UUID of version 8 made from the workspace's own. */
export function defaultGuardrailId(workspaceId: string): string {
  return derivedId(`default guardrail of ${workspaceId}`);
}

/** A UUID of version 8 made from a text. */
export function derivedId(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

/** The name of a workspace's default guardrail, which nobody can change. */
export function defaultGuardrailName(workspaceId: string): string {
  return `Workspace ${workspaceId} Default`;
}
