import type { UsageDimension } from '../../ports/usage.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { providerName } from './shown-names.ts';

/** How people call some values of a dimension. */
export async function usageLabels(
  dimension: UsageDimension,
  values: readonly string[],
  accountId: string,
  services: Pick<InterfaceServices, 'storage' | 'catalogue'>,
): Promise<(value: string) => string> {
  const catalogue = services.catalogue();
  if (dimension === 'key') {
    const names = await keyNames(values, services);
    return (hash) => names.get(hash) ?? hash.slice(0, 8);
  }
  if (dimension === 'workspace') {
    const page = { accountId, offset: 0, limit: mostWorkspaces };
    const { workspaces } = await services.storage.workspaces.list(page);
    const names = new Map(workspaces.map(({ id, name }) => [id, name]));
    return (id) => names.get(id) ?? (id || 'no workspace');
  }
  if (dimension === 'provider')
    return (slug) => (slug ? providerName(slug, catalogue) : 'no provider answered');
  if (dimension === 'error') return (type) => (type ? type.replaceAll('_', ' ') : 'ok');
  return (value) => value || 'none reached';
}

/** The names of keys by their hashes; keys that are deleted have none. */
export async function keyNames(
  hashes: readonly string[],
  { storage }: Pick<InterfaceServices, 'storage'>,
): Promise<ReadonlyMap<string, string>> {
  const known = await Promise.all([...new Set(hashes)].map((hash) => storage.keys.findWithAccount(hash)));
  return new Map(
    known.flatMap((one) => (one === undefined ? [] : [[one.key.hash, one.key.name || one.key.label]])),
  );
}

const mostWorkspaces = 100;
