import { cloudRows } from './cloud-rows.ts';
import { hostRows } from './host-rows.ts';
import { makerRows } from './maker-rows.ts';
import type { ProviderRow } from './provider-row.ts';

/** Every provider that works with a credential alone (docs/spec/catalogue.md#providers). */
export const providerRows: readonly ProviderRow[] = [
  { slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox', retainsPrompts: false, trainsOnPrompts: false },
  ...makerRows,
  ...cloudRows,
  ...hostRows,
];

const bySlug = new Map(providerRows.map((row) => [row.slug, row]));

/** The row of a slug; undefined when the provider is not built in. */
export function findProviderRow(slug: string): ProviderRow | undefined {
  return bySlug.get(slug);
}
