import { Money } from '../../parts/money.tsx';
import { CredentialRow } from './credential-row.tsx';
import type { Credential } from './flags.ts';

interface ProviderGroupProps {
  readonly name: string;
  readonly credentials: readonly Credential[];
  /** What they cost at the provider this month; undefined while that is not known. */
  readonly cost: bigint | undefined;
  readonly reload: () => void;
}

/** The credentials for one provider, in the order in which they are tried. */
export function ProviderGroup({ name, credentials, cost, reload }: ProviderGroupProps) {
  const ordered = [...credentials].sort((one, other) => one.sort_order - other.sort_order);
  return (
    <section class="card">
      <div class="card-head">
        <h2>{name}</h2>
        <span class="gap" />
        {cost !== undefined && (
          <span class="hint">
            <Money nano={cost} /> this month
          </span>
        )}
      </div>
      <ol class="credentials">
        {ordered.map((credential, index) => (
          <CredentialRow
            key={credential.id}
            credential={credential}
            above={ordered[index - 1]}
            below={ordered[index + 1]}
            onChange={reload}
          />
        ))}
      </ol>
    </section>
  );
}
