import { mayChange, principal } from '../../api/session-state.ts';
import { State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { choice, choose } from '../../state/url.ts';
import { count, many, plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';
import { around, type DiffPart, lineDiff } from './line-diff.ts';
import type { Version, WholePreset } from './queries.ts';
import { versionText } from './version-text.ts';

interface VersionsProps {
  readonly preset: WholePreset;
  /** Newest first. */
  readonly versions: readonly Version[];
  readonly total: number;
  readonly designate: (id: string) => void;
}

/** The versions of a preset, and the chosen one compared with another. */
export function Versions({ preset, versions, total, designate }: VersionsProps) {
  const number = (name: string) => Number(choice(name) ?? '');
  const inUse = preset.designated_version;
  const shown = versions.find(({ version }) => version === number('version')) ?? inUse;
  const base =
    versions.find(({ version }) => version === number('with')) ??
    versions.find(({ version }) => version < shown.version);
  return (
    <div class="preset-columns">
      <section class="card">
        <div class="card-head">
          <h2>Versions</h2>
          <span class="gap" />
          {total > versions.length && <span class="hint">the newest {count(versions.length)}</span>}
        </div>
        <ol class="versions">
          {versions.map(({ id, version, created_at: created, creator_id: creator }) => (
            <li key={id} class={version === shown.version ? 'version chosen' : 'version'}>
              <button
                type="button"
                class="version-choice"
                aria-current={version === shown.version}
                title={`${exactTime(created, zone())}, by ${plain(creator)}`}
                onClick={() => choose({ version: String(version), with: undefined }, { replace: true })}
              >
                <strong>Version {version}</strong> <span class="muted">{ago(created, Date.now())}</span>
              </button>
              {id === inUse.id ? (
                <State tone="good">in use</State>
              ) : (
                mayChange('presets') &&
                principal.value?.role !== 'key' && (
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Use version ${version}`}
                    onClick={() => designate(id)}
                  >
                    Use
                  </button>
                )
              )}
            </li>
          ))}
        </ol>
      </section>
      <Content shown={shown} base={base} versions={versions} />
    </div>
  );
}

interface ContentProps {
  readonly shown: Version;
  readonly base: Version | undefined;
  readonly versions: readonly Version[];
}

function Content({ shown, base, versions }: ContentProps) {
  const isCompared = choice('with') !== 'none' && base !== undefined;
  return (
    <section class="card padded stack">
      <div class="row">
        <h2>Version {shown.version}</h2>
        <span class="gap" />
        <label class="row">
          <span class="hint">compared with</span>
          <select
            class="select inline"
            value={isCompared ? String(base.version) : 'none'}
            onChange={({ currentTarget }) => choose({ with: currentTarget.value }, { replace: true })}
          >
            <option value="none">nothing</option>
            {versions
              .filter(({ id }) => id !== shown.id)
              .map(({ id, version }) => (
                <option key={id} value={String(version)}>
                  version {version}
                </option>
              ))}
          </select>
        </label>
      </div>
      {isCompared ? (
        <Difference before={versionText(base)} after={versionText(shown)} />
      ) : (
        <>
          {shown.system_prompt !== null && (
            <>
              <h3>Instructions</h3>
              <pre>{plainLines(shown.system_prompt)}</pre>
            </>
          )}
          <h3>Settings</h3>
          <pre>{plainLines(JSON.stringify(shown.config, null, 2))}</pre>
        </>
      )}
    </section>
  );
}

function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p class="muted">Nothing differs.</p>;
  return (
    <div class="diff" role="list" aria-label="What differs">
      {around(lineDiff(before, after)).map((part, index) => (
        <Line key={index} part={part} />
      ))}
    </div>
  );
}

const marks = { same: ' ', removed: '−', added: '+' } as const;

function Line({ part }: { readonly part: DiffPart }) {
  if (part.kind === 'skipped') {
    return (
      <div role="listitem" class="diff-line muted">
        <span aria-hidden="true">⋯</span> {many(part.count, 'line')} as before
      </div>
    );
  }
  return (
    <div role="listitem" class={`diff-line ${part.kind}`}>
      <span aria-hidden="true">{marks[part.kind]}</span>
      {part.kind !== 'same' && <span class="hidden">{part.kind}:</span>} {plain(part.text)}
    </div>
  );
}

function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}
