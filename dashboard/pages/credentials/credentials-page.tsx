import { useState } from 'preact/hooks';
import { get } from '../../api/client.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { CredentialRow } from './credential-row.tsx';
import './credentials.css';
import type { Credential } from './flags.ts';
import { NewCredential } from './new-credential.tsx';

/** The account's own credentials for providers, in the order in which they are tried. */
export function CredentialsPage() {
  const [isMaking, setMaking] = useState(false);
  const workspaces = principal.value?.workspaces ?? [];
  const chosen = choice('workspace');
  const asked = workspaces.map(({ id }) => id).filter((id) => chosen === undefined || id === chosen);
  const found = useQuery(['byok', asked], async (signal) => {
    const lists = await Promise.all(
      asked.map((id) => get('/byok', { query: { workspace_id: id, limit: 100 }, signal })),
    );
    // Those of the whole account are in the list of every workspace.
    return [...new Map(lists.flatMap(({ data }) => data).map((one) => [one.id, one])).values()];
  });
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
        {mayChange() && (
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
            {mayChange() && (
              <button type="button" class="button primary" onClick={() => setMaking(true)}>
                Add the first
              </button>
            )}
          </Empty>
        </section>
      ) : (
        groups.map(([provider, all]) => (
          <Group
            key={provider}
            name={plain(names.get(provider) ?? provider)}
            credentials={all}
            reload={found.reload}
          />
        ))
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

interface GroupProps {
  readonly name: string;
  readonly credentials: readonly Credential[];
  readonly reload: () => void;
}

function Group({ name, credentials, reload }: GroupProps) {
  const ordered = [...credentials].sort((one, other) => one.sort_order - other.sort_order);
  return (
    <section class="card">
      <div class="card-head">
        <h2>{name}</h2>
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
