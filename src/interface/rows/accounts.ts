import { apiBase } from '../../edge/paths.ts';
import { pageAccounts, showAccountLine } from '../../operations/accounts/page-accounts.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { choice, flag, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { requireOperator } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { nano } from '../schemas/nano.ts';
import { managed } from './management-parts.ts';
import { limit } from './query-parts.ts';

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
    ...managed,
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
