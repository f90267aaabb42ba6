import type { SchemaDialect } from '../schema-dialect.ts';

/** Keys that were made for the subjects of an issuer, which no secret opens. */
export function derivedKeys({ text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `alter table api_keys add column origin ${text}`,
    `create table derived_keys (
      account_id ${text} not null references accounts (id), issuer ${text} not null, policy ${text} not null,
      subject ${text} not null, key_hash ${text} not null unique, primary key (account_id, issuer, policy, subject)
    ) ${tableEnd}`,
  ];
}
