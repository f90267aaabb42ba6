import { choice, flag, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { nano } from './nano.ts';

/** A part of the accounts. */
export const AccountList = named(
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
