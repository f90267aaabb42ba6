import { createHash, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../util/canonical-json.ts';
import type { McpToolDefinition } from './mcp-session.ts';

/** What an approval is for. */
export interface ApprovedCall {
  readonly keyHash: string;
  readonly label: string;
  readonly url: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly input: string;
}

/** How an approval stands. */
export type ApprovalState = 'valid' | 'foreign' | 'expired' | 'changed';

const prefix = 'mcpr_';
const lifetime = 24 * 60 * 60;
const digestLength = 12;
const timeLength = 6;
const sealLength = 16;
const length = timeLength + digestLength + sealLength;

/**
 * Ids of requests for approval, which say by themselves what was asked and when: nothing is kept between requests
 * (docs/spec/mcp.md#approvals).
 */
export class McpApprovals {
  readonly #seal: (text: string) => Buffer;
  readonly #now: () => number;

  /** @param seal Authenticates a text, 32 bytes. */
  constructor(seal: (text: string) => Buffer, now: () => number = Date.now) {
    this.#seal = seal;
    this.#now = now;
  }

  /** The id of a request to approve a call of a tool as it is defined now. */
  idOf(call: ApprovedCall, tool: McpToolDefinition): string {
    const stamp = Buffer.alloc(timeLength);
    stamp.writeUIntBE(this.#seconds(), 0, timeLength);
    const head = Buffer.concat([stamp, digestOf(tool)]);
    return prefix + Buffer.concat([head, this.#sealOf(head, call)]).toString('base64url');
  }

  /** @param tool The tool as it is defined now; undefined when it is no longer there. */
  check(id: string, call: ApprovedCall, tool: McpToolDefinition | undefined): ApprovalState {
    const bytes = Buffer.from(id.startsWith(prefix) ? id.slice(prefix.length) : '', 'base64url');
    if (bytes.length !== length) return 'foreign';
    const head = bytes.subarray(0, timeLength + digestLength);
    if (!timingSafeEqual(this.#sealOf(head, call), bytes.subarray(head.length))) return 'foreign';
    if (this.#seconds() - head.readUIntBE(0, timeLength) > lifetime) return 'expired';
    const isSame = tool !== undefined && digestOf(tool).equals(head.subarray(timeLength));
    return isSame ? 'valid' : 'changed';
  }

  #sealOf(head: Buffer, { keyHash, label, url, name, input }: ApprovedCall): Buffer {
    const text = JSON.stringify([head.toString('base64'), keyHash, label, url, name, input]);
    return this.#seal(text).subarray(0, sealLength);
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }
}

function digestOf({ name, description, input_schema, annotations }: McpToolDefinition): Buffer {
  const text = canonicalJson([name, description ?? null, input_schema, annotations ?? null]);
  return createHash('sha256').update(text).digest().subarray(0, digestLength);
}
