import type { SchemaDialect } from '../schema-dialect.ts';

/** Alerts: once for each threshold of a subject within a window, and what of them waits to be sent. */
export function alerts({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    // due_at is null once it was delivered or given up.
    `create table alerts (
      id ${text} primary key not null, type ${text} not null, subject ${text} not null, threshold ${text} not null,
      period ${text} not null, body ${text} not null, created_at ${integer} not null,
      expires_at ${integer}, attempts ${integer} not null, due_at ${integer},
      unique (subject, threshold, period)) ${tableEnd}`,
    'create index alerts_due on alerts (due_at) where due_at is not null',
  ];
}
