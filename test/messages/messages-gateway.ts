import Anthropic from '@anthropic-ai/sdk';
import type { TestGateway } from '../support/gateway.ts';

/** The maker's own client, pointed at a gateway. */
export function clientOf(gateway: TestGateway, options: { readonly key?: string } = {}): Anthropic {
  return new Anthropic({ baseURL: `${gateway.url}/api`, apiKey: options.key ?? gateway.key, maxRetries: 0 });
}

/** Sends a body to a path of the Messages format. */
export function post(
  gateway: TestGateway,
  body: unknown,
  {
    path = '/messages',
    headers = {},
  }: { readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
