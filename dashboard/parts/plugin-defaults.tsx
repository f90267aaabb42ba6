import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayChange } from '../api/session-state.ts';
import type { AccountDefaults } from '../state/plugin-defaults.ts';
import { plain } from '../text/format.ts';
import { EditPluginDefault, type PluginDefaultsByName } from './edit-plugin-default.tsx';

interface PluginDefaultsProps {
  readonly defaults: PluginDefaultsByName;
  /** What the account and the installation say; undefined while it is loaded. */
  readonly account: AccountDefaults | undefined;
  /** Stores all of them. */
  readonly store: (next: PluginDefaultsByName) => Promise<unknown>;
  readonly onChange: () => void;
  /** Whose they are, and what stands above them. */
  readonly children?: ComponentChildren;
}

const plugins: Readonly<Record<string, string>> = {
  web: 'Web search',
  'web-fetch': 'Reading web pages',
  'file-parser': 'Reading files',
  moderation: 'Moderation',
  'context-compression': 'Shortening of long conversations',
  'response-healing': 'Repair of JSON answers',
  'auto-router': 'Automatic choice of the model',
  'auto-beta-router': 'Automatic choice of the model, beta',
  'pareto-router': 'Choice by price and skill',
  fusion: 'Fusion',
};

/** What the configuration lacks for a plugin, and what then happens. */
const lacking: Readonly<Record<string, (setting: string) => string>> = {
  moderation: (setting) => `Requests with it are refused: ${setting} is not configured.`,
  'file-parser': (setting) => `Scans cannot be read: ${setting} is not configured.`,
  web: (setting) => `Works only where the provider searches itself: ${setting} is not configured.`,
};

/** Plugins that are on for requests which do not name them. */
export function PluginDefaults({ defaults, account, store, onChange, children }: PluginDefaultsProps) {
  const [editing, setEditing] = useState<string>();
  const missing = new Map(account?.missing_backends.map(({ plugin, setting }) => [plugin, setting]));
  const rest = Object.keys(plugins).filter((id) => defaults[id] === undefined);
  return (
    <section class="card padded stack">
      <h2>Plugins by default</h2>
      {children}
      {Object.keys(defaults).length === 0 && (
        <p class="muted">None: plugins run where requests name them, or as the installation says.</p>
      )}
      {Object.entries(defaults).map(([id, { config, enforced }]) => (
        <div key={id} class="plugin-row">
          <div class="row">
            <span>
              <strong>{plugins[id] ?? id}</strong>{' '}
              <span class="muted">
                {config?.enabled === false ? 'off' : 'on'}
                {enforced === true && ', requests cannot change it'}
              </span>
            </span>
            {mayChange('guardrails') && (
              <button
                type="button"
                class="button small"
                aria-label={`Change ${plugins[id] ?? id}`}
                onClick={() => setEditing(id)}
              >
                Change
              </button>
            )}
          </div>
          {config?.enabled !== false && <Lack plugin={id} setting={missing.get(id)} />}
          {config !== undefined && Object.keys(config).length > 0 && (
            <pre>{JSON.stringify(config, null, 2)}</pre>
          )}
        </div>
      ))}
      {mayChange('guardrails') && rest.length > 0 && (
        <label class="label">
          Add a plugin
          <select
            class="select"
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') setEditing(currentTarget.value);
              currentTarget.value = '';
            }}
          >
            <option value="">Choose a plugin…</option>
            {rest.map((id) => (
              <option key={id} value={id}>
                {plugins[id]}
              </option>
            ))}
          </select>
        </label>
      )}
      {editing !== undefined && (
        <EditPluginDefault
          id={editing}
          name={plugins[editing] ?? editing}
          defaults={defaults}
          store={store}
          onClose={() => {
            setEditing(undefined);
            onChange();
          }}
        />
      )}
    </section>
  );
}

interface LackProps {
  readonly plugin: string;
  readonly setting: string | undefined;
}

function Lack({ plugin, setting }: LackProps) {
  const words = lacking[plugin];
  return setting === undefined || words === undefined ? null : <p class="hint">{words(setting)}</p>;
}

/** Defaults that were set elsewhere, in one line each. */
export function WiderDefaults({
  of,
  defaults,
}: {
  readonly of: string;
  readonly defaults: PluginDefaultsByName;
}) {
  const lines = Object.entries(defaults).map(
    ([id, { config, enforced }]) =>
      `${plain(plugins[id] ?? id)} ${config?.enabled === false ? 'off' : 'on'}${enforced === true ? ' (cannot be changed)' : ''}`,
  );
  return lines.length === 0 ? null : (
    <p class="hint">
      {of}: {lines.join(', ')}
    </p>
  );
}
