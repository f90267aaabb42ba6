import type { ProviderCredential } from '../ports/credentials.ts';
import type { Column } from './format-table.ts';

const shownId = 8;

/** Columns of the table of provider credentials. */
export const credentialColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'PROVIDER' },
  { heading: 'LABEL' },
  { heading: 'NAME' },
  { heading: 'STATE' },
  { heading: 'FLAGS' },
  { heading: 'ORDER', align: 'right' },
];

/** A credential as a row of the table. */
export function credentialRow(credential: ProviderCredential): readonly string[] {
  return [
    credential.id.slice(0, shownId),
    credential.provider,
    credential.label,
    credential.name ?? '-',
    credential.disabled ? 'disabled' : 'active',
    flagsOf(credential).join(' ') || '-',
    String(credential.sortOrder),
  ];
}

function flagsOf(credential: ProviderCredential): readonly string[] {
  const { workspaceId, isByokOnly, isFallback, isRequired, declaredZdr } = credential;
  const flags: readonly [boolean, string][] = [
    [workspaceId === null, 'account-wide'],
    [isByokOnly, 'byok-only'],
    [isFallback, 'fallback'],
    [isRequired, 'required'],
    [declaredZdr === true, 'zdr'],
  ];
  return flags.filter(([set]) => set).map(([, word]) => word);
}
