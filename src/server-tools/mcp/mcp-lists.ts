import type { McpToolDefinition } from './mcp-session.ts';

interface KeptList {
  readonly tools: readonly McpToolDefinition[];
  readonly size: number;
  readonly until: number;
}

/** Lists of tools by server and credentials, for a while and within a limit of characters (docs/spec/mcp.md#lists). */
export class McpLists {
  readonly #most: number;
  readonly #now: () => number;
  readonly #lists = new Map<string, KeptList>();
  #size = 0;

  constructor(most = 64 * 1024 * 1024, now: () => number = Date.now) {
    this.#most = most;
    this.#now = now;
  }

  /** A list that is still kept. */
  get(key: string): readonly McpToolDefinition[] | undefined {
    const kept = this.#lists.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > this.#now()) return kept.tools;
    this.#drop(key, kept);
    return undefined;
  }

  /** Keeps a list; the oldest ones make room. @param ttl Milliseconds. */
  set(key: string, tools: readonly McpToolDefinition[], ttl: number): void {
    const known = this.#lists.get(key);
    if (known !== undefined) this.#drop(key, known);
    const size = JSON.stringify(tools).length + key.length;
    if (size > this.#most || ttl <= 0) return;
    this.#lists.set(key, { tools, size, until: this.#now() + ttl });
    this.#size += size;
    for (const [oldest, kept] of this.#lists) {
      if (this.#size <= this.#most) return;
      this.#drop(oldest, kept);
    }
  }

  #drop(key: string, { size }: KeptList): void {
    this.#lists.delete(key);
    this.#size -= size;
  }
}
