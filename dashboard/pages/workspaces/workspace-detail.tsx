import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { mayChange, mayRead } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PluginDefaults, WiderDefaults } from '../../parts/plugin-defaults.tsx';
import { FailedPage, Loading } from '../../parts/state.tsx';
import { usePluginDefaults } from '../../state/plugin-defaults.ts';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { BudgetChart } from './budget-chart.tsx';
import { Budgets } from './budgets.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { Members } from './members.tsx';
import { useWorkspace, type Workspace } from './queries.ts';
import { toolName } from './tools.ts';
import { WorkspaceForm } from './workspace-form.tsx';

/** One workspace: its budgets, its defaults and who is in it. */
export function WorkspaceDetail({ id }: { readonly id: string }) {
  const { data: workspace, error, reload } = useWorkspace(id);
  if (error !== undefined && workspace === undefined)
    return (
      <FailedPage
        title="Workspace"
        error={error}
        retry={reload}
        back={<a href={href('workspaces')}>Workspaces & members</a>}
      />
    );
  if (workspace === undefined) return <Loading height={500} />;
  return (
    <div class="page">
      <p>
        <a href={href('workspaces')}>Workspaces & members</a>
      </p>
      <Head workspace={workspace} reload={reload} />
      {workspace.description !== null && <p class="muted">{plain(workspace.description)}</p>}
      <div class="workspace-cards">
        <Budgets workspace={workspace} />
        <Defaults workspace={workspace} />
        <Plugins workspace={workspace} onChange={reload} />
        {mayRead('members') && <Members workspace={workspace} />}
      </div>
      <BudgetChart workspace={workspace} />
    </div>
  );
}

function Head({ workspace, reload }: { readonly workspace: Workspace; readonly reload: () => void }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <div class="page-head">
        <h1 tabIndex={-1} class="long-name">
          {plain(workspace.name)}
        </h1>
        <code class="muted">{workspace.slug}</code>
        <span class="gap" />
        <a class="button" href={href('requests', { workspace: workspace.id })}>
          Its requests
        </a>
        {mayChange('workspace') && (
          <>
            <button type="button" class="button" onClick={() => setDialog('edit')}>
              Edit
            </button>
            {workspace.slug !== 'default' && mayChange('workspaces') && (
              <Menu label={`Actions for ${plain(workspace.name)}`} button={<Icon name="more" />}>
                <button type="button" class="danger" onClick={() => setDialog('delete')}>
                  Delete…
                </button>
              </Menu>
            )}
          </>
        )}
      </div>
      {dialog === 'edit' && <WorkspaceForm workspace={workspace} onClose={close} onDone={reload} />}
      {dialog === 'delete' && <DeleteWorkspace workspace={workspace} onClose={close} />}
    </>
  );
}

interface PluginsProps {
  readonly workspace: Workspace;
  readonly onChange: () => void;
}

function Plugins({ workspace, onChange }: PluginsProps) {
  const account = usePluginDefaults().data;
  return (
    <PluginDefaults
      defaults={workspace.plugin_defaults ?? {}}
      account={account}
      store={(plugin_defaults) =>
        send('PATCH', '/workspaces/{id}', { params: { id: workspace.id }, body: { plugin_defaults } })
      }
      onChange={onChange}
    >
      <WiderDefaults of="From the account" defaults={account?.plugin_defaults ?? {}} />
      <WiderDefaults of="From the configuration" defaults={account?.installation ?? {}} />
    </PluginDefaults>
  );
}

const sorts: Readonly<Record<string, string>> = {
  price: 'the cheapest first',
  throughput: 'the fastest output first',
  latency: 'the shortest wait first',
  exacto: 'the most exact calls of tools first',
};

function Defaults({ workspace }: { readonly workspace: Workspace }) {
  const { default_text_model: model, default_provider_sort: sort, disabled_server_tools: off } = workspace;
  return (
    <section class="card padded stack">
      <h2>Defaults of its requests</h2>
      <dl class="facts">
        <dt>Model</dt>
        <dd>{model === null ? 'none: requests name one' : <code>{plain(model)}</code>}</dd>
        <dt>Providers</dt>
        <dd>{sort === null ? 'as the installation orders them' : (sorts[sort] ?? sort)}</dd>
        <dt>Tools switched off</dt>
        <dd>{off == null || off.length === 0 ? 'none' : off.map(toolName).join(', ')}</dd>
        <dt>Created</dt>
        <dd>{fullDay(workspace.created_at, zone())}</dd>
      </dl>
    </section>
  );
}
