import { mayChange, principal } from '../../api/session-state.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { PresetDetail } from './preset-detail.tsx';
import { PresetState } from './preset-state.tsx';
import './presets.css';
import type { Column } from '../../state/table-choices.ts';
import { type Preset, usePresets } from './queries.ts';

const allColumns: readonly Column[] = [
  { name: 'Preset', isFixed: true },
  { name: 'State' },
  { name: 'Workspace', look: 'wide' },
  { name: 'Changed', look: 'end wide' },
];

/** Presets: named settings that requests can ask for. */
export function PresetsPage({ id }: { readonly id: string | undefined }) {
  if (id !== undefined) return <PresetDetail slug={id} />;
  return <PresetListPage />;
}

function PresetListPage() {
  const found = usePresets();
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Presets</h1>
        <span class="gap" />
        {(found.data?.length ?? 0) > 0 && <TableTools list="presets" columns={presetColumns()} hasViews />}
        {mayChange('presets') && principal.value?.role !== 'key' && (found.data?.length ?? 0) > 0 && (
          <a class="button" href={href('playground')}>
            New in the playground
          </a>
        )}
      </div>
      <p class="muted">
        Instructions and settings under a name. A request uses one by its model, such as{' '}
        <code>@preset/terse</code>.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={300} />
      ) : (
        <section class="card">
          {found.data.length > 0 ? (
            <PresetTable presets={found.data} />
          ) : (
            <Empty title="No presets yet">
              {mayChange('presets') && principal.value?.role !== 'key' ? (
                <>
                  <p>Try instructions and settings in the playground, then save them there as a preset.</p>
                  <a class="button primary" href={href('playground')}>
                    Open the playground
                  </a>
                </>
              ) : (
                <p>A management key stores them.</p>
              )}
            </Empty>
          )}
        </section>
      )}
    </div>
  );
}

const workspacesOf = () => new Map(principal.value?.workspaces.map(({ id, name }) => [id, name]));

/** The workspace only where there are several. */
const presetColumns = () => allColumns.filter(({ name }) => name !== 'Workspace' || workspacesOf().size > 1);

function PresetTable({ presets }: { readonly presets: readonly Preset[] }) {
  const workspaces = workspacesOf();
  return (
    <ListTable list="presets" columns={presetColumns()}>
      {presets.map(({ id, slug, name, description, workspace_id: of, ...preset }) => (
        <tr key={id}>
          <td>
            <a href={href(`presets/${slug}`, { of: of ?? undefined })} title={plain(name)}>
              {plain(name)}
            </a>{' '}
            {name !== slug && <code class="muted">{slug}</code>}
            {description !== null && <span class="hint cut below">{plain(description)}</span>}
          </td>
          <td>
            <PresetState status={preset.status} />
          </td>
          {workspaces.size > 1 && <td class="wide">{plain(workspaces.get(of ?? '') ?? '–')}</td>}
          <td class="end wide">{fullDay(preset.updated_at, zone())}</td>
        </tr>
      ))}
    </ListTable>
  );
}
