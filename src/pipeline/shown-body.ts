import { offeredTools } from '../core/client-tools.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';
import { shownUrl } from '../util/shown-url.ts';

const shortestInside = 8;

/** What is shown in place of a text; undefined for one that is no secret. */
type Cover = (text: string) => string | undefined;

/**
 * A body sent to a provider as `debug.echo_upstream_body` may show it: what the caller gave as credentials of MCP
 * servers is taken out, wherever the dialect has put it, and so are those inside a server's address.
 */
export function shownBody(body: unknown, request: CanonicalRequest): unknown {
  const settings = serversOf(request);
  const secrets = settings.flatMap(credentialsOf);
  const addresses = new Map(settings.flatMap(addressOf));
  if (secrets.length === 0 && addresses.size === 0) return body;
  return withoutSecrets(body, (text) => addresses.get(text) ?? cover(text, secrets));
}

function serversOf(request: CanonicalRequest): readonly JsonObject[] {
  const settings = offeredTools(request).flatMap((tool) => (tool.kind === 'hosted' ? [tool.settings] : []));
  const others = request.items.flatMap((item) =>
    item.kind === 'additional_tools' ? (item.others ?? []) : [],
  );
  return [...settings, ...others];
}

function credentialsOf({ authorization, headers }: JsonObject): readonly string[] {
  const values = typeof headers === 'object' && headers !== null ? Object.values(headers) : [];
  return [authorization, ...values].filter((value) => typeof value === 'string' && value !== '');
}

/** An address that holds a secret, and how it is shown. */
function addressOf({ server_url: address }: JsonObject): readonly (readonly [string, string])[] {
  if (typeof address !== 'string') return [];
  const shown = shownUrl(address);
  return shown === address ? [] : [[address, shown]];
}

function withoutSecrets(value: unknown, covered: Cover): unknown {
  if (typeof value === 'string') return covered(value) ?? value;
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, covered));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutSecrets(member, covered)]);
  return Object.fromEntries(members);
}

function cover(text: string, secrets: readonly string[]): string | undefined {
  const found = secrets.some(
    (secret) => text === secret || (secret.length >= shortestInside && text.includes(secret)),
  );
  return found ? '[secret]' : undefined;
}
