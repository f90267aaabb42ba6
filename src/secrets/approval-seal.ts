import { createHmac, hkdfSync } from 'node:crypto';

/** Authenticates what clients approve: the same text gives the same bytes, and nobody else can make them. */
export type ApprovalSeal = (text: string) => Buffer;

/**
 * Creates the seal of approvals (docs/spec/mcp.md#approvals).
 * @param secret The installation's secret for what clients carry, 32 bytes, which outlives master keys.
 */
export function createApprovalSeal(secret: Buffer): ApprovalSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mcp-approvals', 32));
  return (text) => createHmac('sha256', key).update(text).digest();
}
