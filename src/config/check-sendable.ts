import type { ProviderSettings } from '../catalogue/catalogue-schema.ts';
import { findProviderRow, providerRows } from '../catalogue/provider-rows.ts';
import { addressedByCredential } from '../catalogue/vocabulary.ts';
import { isSendable } from '../core/sendable.ts';
import { environmentValue } from '../settings/environment.ts';
import type { Reading } from './reading.ts';
import type { Settings } from './schema.ts';

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Of the connection, not of the request. */
const kept = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Notes credentials and headers no request can carry: every call with them would fail as if the provider were away.
 * Those of the environment are looked at where they are used.
 */
export function checkSendable(providers: Settings['providers'], reading: Reading): void {
  for (const [slug, provider] of Object.entries(providers)) {
    if (provider === undefined) continue;
    const path = `providers.${slug}`;
    const adapter = provider.adapter ?? findProviderRow(slug)?.adapter ?? '';
    const key = provider.api_key?.reveal();
    if (key !== undefined && !isUsable(key, adapter)) reading.problem(`${path}.api_key`, unsendableKey);
    checkHeaders(`${path}.headers`, provider.headers, reading);
  }
  for (const { slug, adapter, variable, variableIsAddress, variableIsFile } of providerRows) {
    if (variable === undefined || variableIsAddress === true || variableIsFile === true) continue;
    const own = providers[slug];
    const isUsed = own?.enabled !== false && own?.api_key === undefined && own?.base_url === undefined;
    const key = isUsed ? environmentValue(reading.environment, variable) : undefined;
    if (key === undefined || isUsable(key, adapter)) continue;
    const position = { source: `environment ${variable}` };
    reading.problems.push({ position, path: `providers.${slug}.api_key`, ...unsendableKey });
  }
}

const unsendableKey = {
  problem: 'the key has characters that no header carries',
  allowed: 'the key alone, on one line',
  remedy: 'correct the key',
};

/** A structured credential is taken apart before any of it is sent. */
function isUsable(key: string, adapter: string): boolean {
  return isSendable(key) || (addressedByCredential.has(adapter) && /^[[{]/.test(key));
}

function checkHeaders(path: string, headers: ProviderSettings['headers'], reading: Reading): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name)) {
      reading.problem(`${path}.${name}`, {
        problem: 'the name is none of a header',
        allowed: "letters, digits and any of !#$%&'*+-.^_`|~",
        remedy: 'rename it',
      });
    } else if (kept.has(name.toLowerCase())) {
      reading.problem(`${path}.${name}`, {
        problem: 'the header belongs to the connection',
        allowed: `any but ${[...kept].join(', ')}`,
        remedy: 'remove it',
      });
    } else if (value !== undefined && !isSendable(value)) {
      reading.problem(`${path}.${name}`, {
        problem: 'the value has characters that no header carries',
        allowed: 'one line of Latin letters, digits and signs',
        remedy: 'correct the value',
      });
    }
  }
}
