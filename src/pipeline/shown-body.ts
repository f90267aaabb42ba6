import { offeredTools } from '../core/client-tools.ts';
import type { JsonObject } from '../core/json.ts';
import type { CanonicalRequest } from '../core/request.ts';

const shortestInside = 8;

/**
 * A body sent to a provider as `debug.echo_upstream_body` may show it: what the caller gave as credentials of MCP
 * servers is taken out, wherever the dialect has put it.
 */
export function shownBody(body: unknown, request: CanonicalRequest): unknown {
  const secrets = credentialsIn(request);
  return secrets.length === 0 ? body : withoutSecrets(body, secrets);
}

function credentialsIn(request: CanonicalRequest): readonly string[] {
  const settings = offeredTools(request).flatMap((tool) => (tool.kind === 'hosted' ? [tool.settings] : []));
  const others = request.items.flatMap((item) =>
    item.kind === 'additional_tools' ? (item.others ?? []) : [],
  );
  return [...settings, ...others].flatMap(credentialsOf);
}

function credentialsOf({ authorization, headers }: JsonObject): readonly string[] {
  const values = typeof headers === 'object' && headers !== null ? Object.values(headers) : [];
  return [authorization, ...values].filter((value) => typeof value === 'string' && value !== '');
}

function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return hide(value, secrets);
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutSecrets(member, secrets)]);
  return Object.fromEntries(members);
}

function hide(text: string, secrets: readonly string[]): string {
  const found = secrets.some(
    (secret) => text === secret || (secret.length >= shortestInside && text.includes(secret)),
  );
  return found ? '[secret]' : text;
}
