import { type Environment, environmentValue } from '../util/environment.ts';
import { readSecretFile } from '../util/read-secret-file.ts';
import type { ProviderRow } from './provider-row.ts';

/**
 * The value of a built-in provider's variable: its credential, or the address of a provider without one. Undefined
 * where it is not set, or names a file that cannot be read.
 */
export function findCredential(row: ProviderRow, environment: Environment): string | undefined {
  const value = row.variable === undefined ? undefined : environmentValue(environment, row.variable);
  if (value === undefined) return joinParts(row.variableParts, environment);
  return row.variableIsFile === true ? readCredentialFile(value) : value;
}

function joinParts(parts: ProviderRow['variableParts'], environment: Environment): string | undefined {
  if (parts === undefined) return undefined;
  const read = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([member, name]) => [member, environmentValue(environment, name)] as const);
  const needed = read(parts.needed);
  if (needed.some(([, value]) => value === undefined)) return undefined;
  return JSON.stringify(Object.fromEntries([...needed, ...read(parts.optional)]));
}

/** An unreadable credential counts as missing: the provider stays disabled. */
function readCredentialFile(path: string): string | undefined {
  try {
    return readSecretFile(path).trim() || undefined;
  } catch {
    return undefined;
  }
}
