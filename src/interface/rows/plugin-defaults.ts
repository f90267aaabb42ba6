import { apiBase } from '../../edge/paths.ts';
import { accountOf } from '../../operations/accounts/account-of.ts';
import { setPluginDefaults } from '../../operations/accounts/set-plugin-defaults.ts';
import type { Account } from '../../ports/accounts.ts';
import { readPluginDefaults } from '../../schema/plugin-defaults.ts';
import { Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { withRole } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { AccountPluginDefaults, SetPluginDefaults } from '../schemas/plugin-defaults.ts';
import { one } from './management-parts.ts';

const oneAccount = { ...one, path: `${apiBase}/plugins/defaults` } as const;

/** Plugins that are on for requests of an account which do not name them (docs/spec/plugins.md#defaults). */
export const pluginDefaultRows: readonly Row[] = [
  jsonRow({
    ...oneAccount,
    method: 'GET',
    id: 'getPluginDefaults',
    summary: 'The plugins that are on by default for an account',
    query: Type.Object({
      account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
    }),
    answer: AccountPluginDefaults,
    handle: async ({ actor, query }, services) => {
      const account = await accountOf(await withRole(actor, services), query.account_id, services);
      return { data: show(account, services) };
    },
  }),
  jsonRow({
    ...oneAccount,
    method: 'PUT',
    id: 'setPluginDefaults',
    summary: 'Replace the plugins that are on by default for an account',
    body: SetPluginDefaults,
    answer: AccountPluginDefaults,
    handle: async ({ actor, body }, services) => {
      const defaults = readPluginDefaults(body.plugin_defaults, 'plugin_defaults');
      const input = { account: body.account_id, defaults };
      const account = await setPluginDefaults(await withRole(actor, services), input, services);
      return { data: show(account, services) };
    },
  }),
];

function show({ id, pluginDefaults = {} }: Account, { config }: Pick<InterfaceServices, 'config'>) {
  const { plugins, tools } = config;
  const missing = [
    plugins.moderation === undefined && { plugin: 'moderation', setting: 'plugins.moderation' },
    plugins.fileParser.ocr === undefined && { plugin: 'file-parser', setting: 'plugins.file_parser.ocr' },
    tools.webSearch.engines.length === 0 && { plugin: 'web', setting: 'tools.web_search.engines' },
  ];
  return {
    account_id: id,
    plugin_defaults: { ...pluginDefaults },
    installation: { ...plugins.defaults },
    missing_backends: missing.filter((one) => one !== false),
  };
}
