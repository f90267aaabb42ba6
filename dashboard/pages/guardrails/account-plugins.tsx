import { send } from '../../api/client.ts';
import { PluginDefaults, WiderDefaults } from '../../parts/plugin-defaults.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { usePluginDefaults } from '../../state/plugin-defaults.ts';

/** Plugins that are on by default in all workspaces of the account. */
export function AccountPlugins() {
  const { data, error, reload } = usePluginDefaults();
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading />;
  return (
    <PluginDefaults
      defaults={data.plugin_defaults}
      account={data}
      store={(plugin_defaults) => send('PUT', '/plugins/defaults', { body: { plugin_defaults } })}
      onChange={reload}
    >
      <p class="muted">
        They hold for requests of the whole account. A workspace may set its own, except where requests cannot
        change them.
      </p>
      <WiderDefaults of="From the configuration" defaults={data.installation} />
    </PluginDefaults>
  );
}
