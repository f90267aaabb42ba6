import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { FailedPage, Loading } from '../../parts/state.tsx';
import { choice, href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { EditPreset } from './edit-preset.tsx';
import { PresetState } from './preset-state.tsx';
import { inWorkspace, usePreset, type WholePreset } from './queries.ts';
import { Versions } from './versions.tsx';

type Change = { readonly status: WholePreset['status'] } | { readonly designated_version_id: string };

/** One preset: its versions, what differs between them, and which one requests get. */
export function PresetDetail({ slug }: { readonly slug: string }) {
  const { data, error, reload } = usePreset(slug);
  const [failure, setFailure] = useState<string>();
  if (error !== undefined && data === undefined)
    return (
      <FailedPage
        title={plain(slug)}
        error={error}
        retry={reload}
        back={<a href={href('presets')}>Presets</a>}
      />
    );
  if (data === undefined) return <Loading height={500} />;
  const change = async (body: Change) => {
    setFailure(undefined);
    try {
      await send('PATCH', '/presets/{slug}', { params: { slug }, query: inWorkspace(choice('of')), body });
      reload();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    }
  };
  const { preset } = data;
  return (
    <div class="page">
      <p>
        <a href={href('presets')}>Presets</a>
      </p>
      <Head preset={preset} reload={reload} setStatus={(status) => void change({ status })} />
      {preset.description !== null && <p class="muted">{plain(preset.description)}</p>}
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <Versions {...data} designate={(id) => void change({ designated_version_id: id })} />
    </div>
  );
}

interface HeadProps {
  readonly preset: WholePreset;
  readonly reload: () => void;
  readonly setStatus: (status: WholePreset['status']) => void;
}

function Head({ preset, reload, setStatus }: HeadProps) {
  const [isEditing, setEditing] = useState(false);
  const { name, slug, status, workspace_id: of } = preset;
  // Requests find presets of their key's workspace only.
  const workspace = (principal.value?.workspaces.length ?? 0) > 1 && of !== null ? { workspace: of } : {};
  return (
    <div class="page-head">
      <h1 tabIndex={-1} class="long-name">
        {plain(name)}
      </h1>
      <code class="muted">@preset/{slug}</code>
      <PresetState status={status} />
      <span class="gap" />
      {status === 'active' && (
        <a class="button" href={href('playground', { preset: slug, ...workspace })}>
          Try in the playground
        </a>
      )}
      {mayChange('presets') && principal.value?.role !== 'key' && (
        <Menu label={`Actions for ${plain(name)}`} button={<Icon name="more" />}>
          <button type="button" onClick={() => setEditing(true)}>
            Edit…
          </button>
          {status !== 'active' && (
            <button type="button" onClick={() => setStatus('active')}>
              Enable
            </button>
          )}
          {status !== 'disabled' && (
            <button type="button" onClick={() => setStatus('disabled')}>
              Disable
            </button>
          )}
          {status !== 'archived' && (
            <button type="button" onClick={() => setStatus('archived')}>
              Archive
            </button>
          )}
        </Menu>
      )}
      {isEditing && (
        <EditPreset
          preset={preset}
          onClose={() => {
            setEditing(false);
            reload();
          }}
        />
      )}
    </div>
  );
}
