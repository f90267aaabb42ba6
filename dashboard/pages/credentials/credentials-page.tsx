import { useState } from 'preact/hooks';
import { get } from '../../api/client.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import './credentials.css';
import { FeeAllowance } from './fee-allowance.tsx';
import { NewCredential } from './new-credential.tsx';
import { ProviderGroup } from './provider-group.tsx';
import { useCredentials, useMonthCost } from './queries.ts';

/** The account's own credentials for providers, in the order in which they are tried. */
export function CredentialsPage() {
  const [isMaking, setMaking] = useState(false);
  const workspaces = principal.value?.workspaces ?? [];
  const chosen = choice('workspace');
  const asked = workspaces.map(({ id }) => id).filter((id) => chosen === undefined || id === chosen);
  const found = useCredentials(asked);
  const month = useMonthCost().data;
  const providers = useQuery(['all-providers'], (signal) =>
    get('/providers', { query: { all: 'true' }, signal }),
  );
  const names = new Map((providers.data?.data ?? []).map(({ slug, name }) => [slug, name]));
  const groups = [...Map.groupBy(found.data ?? [], ({ provider }) => provider)];
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Own credentials</h1>
        <span class="gap" />
        {mayChange('credentials') && (
          <button type="button" class="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New credential
          </button>
        )}
      </div>
      <p class="muted">
        With a credential of your own, a provider bills you directly. They are stored encrypted and never
        shown again.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={300} />
      ) : groups.length === 0 ? (
        <section class="card">
          <Empty title="No credentials of your own">
            <p>Requests use the capacity of this installation.</p>
            {mayChange('credentials') && (
              <button type="button" class="button primary" onClick={() => setMaking(true)}>
                Add the first
              </button>
            )}
          </Empty>
        </section>
      ) : (
        <>
          <FeeAllowance />
          {groups.map(([provider, all]) => (
            <ProviderGroup
              key={provider}
              name={plain(names.get(provider) ?? provider)}
              credentials={all}
              cost={month && (month.byProvider.get(provider) ?? 0n)}
              reload={found.reload}
            />
          ))}
        </>
      )}
      {isMaking && (
        <NewCredential
          providers={providers.data?.data ?? []}
          onClose={() => {
            setMaking(false);
            found.reload();
          }}
        />
      )}
    </div>
  );
}
