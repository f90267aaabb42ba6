import { useState } from 'preact/hooks';
import type { PresetList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import type { RunAs } from '../../state/run-as.ts';
import { plain } from '../../text/format.ts';
import type { Body } from './draft.ts';

type Preset = PresetList['data'][number];
type WorkspaceQuery = { readonly workspace_id?: string };

interface PresetChoiceProps {
  readonly runAs: RunAs;
  /** The slug that requests name. */
  readonly value: string | undefined;
  readonly onChange: (slug: string | undefined) => void;
  /** Takes over what a preset sets, its model among it. */
  readonly onCopy: (body: Body) => void;
}

/** Chooses the preset that requests name, of the workspace of the key they run as. Nothing where it has none. */
export function PresetChoice({ runAs, value, onChange, onCopy }: PresetChoiceProps) {
  const [failure, setFailure] = useState<string>();
  const workspace = runAs.choices.find(({ hash }) => hash === runAs.hash)?.workspace_id;
  const isReady = principal.value?.role === 'key' || runAs.hash !== undefined;
  const query: WorkspaceQuery = workspace == null ? {} : { workspace_id: workspace };
  const found = useQuery(
    ['playground-presets', principal.value?.n, workspace],
    (signal) => listActive(query, signal),
    { enabled: isReady },
  );
  const presets = found.data ?? [];
  if (presets.length === 0 && value === undefined) return null;
  const isListed = presets.some(({ slug }) => slug === value);
  const copy = async (slug: string) => {
    setFailure(undefined);
    try {
      const { data } = await get('/presets/{slug}', { params: { slug }, query });
      const { system_prompt: instructions, config } = data.designated_version;
      onCopy({ ...config, ...(instructions === null ? {} : { instructions }) });
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <div class="row preset-choice">
      <label class="row">
        <span class="hint">Preset</span>
        <select
          class="select"
          value={value ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        >
          <option value="">none</option>
          {presets.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name === slug ? plain(slug) : `${plain(name)} (${plain(slug)})`}
            </option>
          ))}
          {value !== undefined && !isListed && <option value={value}>{plain(value)}</option>}
        </select>
      </label>
      {value !== undefined && isListed && (
        <button type="button" class="button small" onClick={() => void copy(value)}>
          Copy into the settings
        </button>
      )}
      {failure !== undefined && (
        <span class="bad" role="alert">
          {plain(failure)}
        </span>
      )}
    </div>
  );
}

const pageLength = 100;
/** A workspace has at most 1,000. */
const mostPages = 10;

async function listActive(query: WorkspaceQuery, signal: AbortSignal): Promise<readonly Preset[]> {
  const found: Preset[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const { data } = await get('/presets', {
      query: { ...query, limit: pageLength, offset: page * pageLength },
      signal,
    });
    found.push(...data);
    if (data.length < pageLength) break;
  }
  return found.filter(({ status }) => status === 'active');
}
