import { EgressFailure } from '../../egress/egress-failure.ts';
import type { EgressGuard } from '../../egress/egress-guard.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { McpServer } from './mcp-server.ts';

const withoutBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * What the SDK fetches by: the egress guard, with the credentials of the server, to no other origin than its own. Redirects are
 * not followed. Streams of the server's own requests are refused.
 */
export function guardedFetch(guard: EgressGuard, server: McpServer, { timeout, maxBody }: McpLimits) {
  const { origin } = new URL(server.url);
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init.method === 'POST' || init.method === 'DELETE' ? init.method : 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    if (url.origin !== origin) throw new EgressFailure('refused', 'The server named another address.');
    const answer = await guard.open({
      url: url.href,
      method,
      headers: { ...server.headers, ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === 'string' && { body: init.body }),
      signal: init.signal ?? new AbortController().signal,
      timeout,
      maxBody,
    });
    const { status, headers, body } = answer;
    if (status < 200) throw new EgressFailure('unsupported', 'The server answered in an unknown form.');
    if (!withoutBody.has(status)) return new Response(body, { status, headers });
    await body.cancel();
    return new Response(null, { status, headers });
  };
}
