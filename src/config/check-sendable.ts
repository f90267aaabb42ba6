import type { ProviderSettings } from '../catalogue/catalogue-schema.ts';
import { findProviderRow } from '../catalogue/provider-rows.ts';
import { addressedByCredential } from '../catalogue/vocabulary.ts';
import { isSendable } from '../util/sendable.ts';
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

/** Notes credentials and headers no request can carry: every call with them would fail as if the provider were away. */
export function checkSendable(providers: Settings['providers'], reading: Reading): void {
  for (const [slug, provider] of Object.entries(providers)) {
    if (provider === undefined) continue;
    const path = `providers.${slug}`;
    const adapter = provider.adapter ?? findProviderRow(slug)?.adapter ?? '';
    const key = provider.api_key?.reveal();
    if (key !== undefined && !isSendableKey(key, adapter)) reading.problem(`${path}.api_key`, unsendableKey);
    checkHeaders(`${path}.headers`, provider.headers, reading);
  }
}

/** What is wrong with a credential that no header carries. */
export const unsendableKey = {
  problem: 'the key has characters that no header carries',
  allowed: 'the key alone, on one line',
  remedy: 'correct the key',
};

/** Whether a header carries a credential. A structured one is taken apart before any of it is sent. */
export function isSendableKey(key: string, adapter: string): boolean {
  return isSendable(key) || isStructured(key, adapter);
}

/** Whether a credential has parts, which tell the address as well. */
export function isStructured(key: string, adapter: string): boolean {
  return addressedByCredential.has(adapter) && /^[[{]/.test(key);
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
