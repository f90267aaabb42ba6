import { ollamaAddress } from '../catalogue/build-providers.ts';
import { findCredential } from '../catalogue/find-credential.ts';
import type { ProviderRow } from '../catalogue/provider-row.ts';
import { providerRows } from '../catalogue/provider-rows.ts';
import { units } from '../schema/units.ts';
import { environmentValue } from '../util/environment.ts';
import { isSendableKey, isStructured, unsendableKey } from './check-sendable.ts';
import type { Reading } from './reading.ts';
import type { Settings } from './schema.ts';

/** Notes what is wrong with variables that bring built-in providers into service, where nothing in the file replaces them. */
export function checkEnvironment(providers: Settings['providers'], reading: Reading): void {
  for (const row of providerRows) {
    const own = providers[row.slug];
    if (own?.enabled === false || own?.api_key !== undefined || own?.base_url !== undefined) continue;
    if (row.variableIsAddress === true) checkOllamaHost(row, reading);
    else checkFound(row, reading);
  }
}

function checkOllamaHost({ slug, variable = '' }: ProviderRow, reading: Reading): void {
  const host = environmentValue(reading.environment, variable);
  if (host === undefined || ollamaAddress(host) !== undefined) return;
  noteVariable(reading, variable, `providers.${slug}.base_url`, {
    problem: 'the value is no address',
    allowed: 'a host, host:port or an http:// address',
    remedy: 'correct or unset it',
  });
}

function checkFound(row: ProviderRow, reading: Reading): void {
  const { slug, name, adapter, variable = '', variableIsFile, addressVariable } = row;
  const { environment, warnings } = reading;
  const key = findCredential(row, environment);
  if (key === undefined) {
    if (variableIsFile === true && environmentValue(environment, variable) !== undefined)
      warnings.push(
        `environment ${variable}: the file cannot be read or is empty: ${name} stays out of service`,
      );
    return;
  }
  // What a file holds is taken apart, and was never meant for a header.
  if (variableIsFile !== true && !isSendableKey(key, adapter))
    noteVariable(reading, variable, `providers.${slug}.api_key`, unsendableKey);
  if (addressVariable === undefined || isStructured(key, adapter)) return;
  const address = environmentValue(environment, addressVariable);
  if (address === undefined) {
    warnings.push(
      `environment ${variable}: a key alone needs ${addressVariable} too, or providers.${slug}.base_url`,
    );
  } else if (!isAddress(address)) {
    noteVariable(reading, addressVariable, `providers.${slug}.base_url`, {
      problem: 'the value is no address',
      allowed: units.httpUrl.allowed,
      remedy: 'correct or unset it',
    });
  }
}

function isAddress(text: string): boolean {
  try {
    units.httpUrl.read(text);
    return true;
  } catch {
    return false;
  }
}

function noteVariable(reading: Reading, variable: string, path: string, what: typeof unsendableKey): void {
  reading.problems.push({ position: { source: `environment ${variable}` }, path, ...what });
}
