import type { SchemaDialect } from '../schema-dialect.ts';

/** How often filters of guardrails were reported to be wrong, by Unix day. */
export function falsePositives({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table false_positives (
      account_id ${text} not null, guardrail_id ${text} not null, filter ${text} not null, day ${integer} not null,
      reports ${integer} not null, primary key (account_id, guardrail_id, filter, day)) ${tableEnd}`,
  ];
}
