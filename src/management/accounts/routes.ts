import { apiBase } from '../../edge/route.ts';
import type { Account } from '../../ports/accounts.ts';
import { pluginDefaultsSchema, readPluginDefaults } from '../../schema/plugin-defaults.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { choice, flag, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { answerOf, closed, limit, managed, nano, one } from '../parts.ts';
import { requireOperator, withRole } from '../roles.ts';
import { jsonRow, type Row } from '../row.ts';
import { accountOf } from './account-of.ts';
import { pageAccounts, setPluginDefaults, showAccountLine } from './accounts.ts';

/** Plugins that are on by default for an account. */
const AccountPluginDefaults = answerOf(
  'AccountPluginDefaults',
  Type.Object({
    account_id: text(),
    plugin_defaults: pluginDefaultsSchema,
    installation: {
      ...pluginDefaultsSchema,
      description: 'Those of the configuration, which hold for every account',
    },
    missing_backends: list(
      Type.Object({
        plugin: text(),
        setting: text({ description: 'What the configuration lacks for all that the plugin can do' }),
      }),
    ),
  }),
);

/** The body of `PUT /plugins/defaults`: it replaces all of the account's. */
const SetPluginDefaults = named(
  'SetPluginDefaults',
  Type.Object(
    {
      plugin_defaults: pluginDefaultsSchema,
      account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
    },
    closed,
  ),
);

const oneAccount = { ...one('guardrails'), path: `${apiBase}/plugins/defaults` } as const;

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

/** A part of the accounts. */
const AccountList = named(
  'AccountList',
  Type.Object({
    data: list(
      named(
        'Account',
        Type.Object({
          id: text(),
          name: text(),
          kind: choice('personal', 'organization'),
          billing_mode: choice('prepaid', 'invoice', 'subscription', 'enterprise'),
          disabled: flag(),
          balance_nano: nano,
          spent_nano: nano,
          created_at: text(),
        }),
      ),
    ),
    next: orNull(text()),
  }),
);

const cursor = withUnit(unit('account cursor', 'the "next" of a page', readCursor), text());

/** The accounts of the installation (docs/spec/dashboard.md#roles). They are made and changed by command. */
export const accountRows: readonly Row[] = [
  jsonRow({
    ...managed('installation'),
    method: 'GET',
    path: `${apiBase}/accounts`,
    id: 'listAccounts',
    summary: 'All accounts with their balances, oldest first; only for operators',
    query: Type.Object({ cursor: Type.Optional(cursor), limit }),
    answer: AccountList,
    handle: async ({ actor, query }, services) => {
      const operating = await requireOperator(actor, services);
      const { accounts, next } = await pageAccounts(operating, query, services);
      return {
        data: accounts.map(showAccountLine),
        next: next === undefined ? null : `${next.createdAt}.${next.id}`,
      };
    },
  }),
];

function readCursor(given: string): { readonly createdAt: number; readonly id: string } {
  const [, createdAt, id] = /^(\d{1,15})\.(\S{1,100})$/.exec(given) ?? [];
  if (createdAt === undefined || id === undefined) throw new RangeError('is no cursor');
  return { createdAt: Number(createdAt), id };
}
