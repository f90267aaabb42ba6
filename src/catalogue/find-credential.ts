import { readFileSync } from 'node:fs';
import { type Environment, environmentValue } from '../util/environment.ts';
import type { ProviderRow } from './provider-row.ts';

/**
 * What the environment holds of a built-in provider: its credential, or the address of one that has none. Undefined
 * where it is not set, and where the file it names cannot be read.
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

/** A credential that cannot be read counts as none: the provider stays out of service. */
function readCredentialFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
