import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Charges that are durable and not booked yet, some lines in a row (decision 89). PostgreSQL needs none: a booking there is
 * one round trip.
 */
export function pendingCharges({
  keepsDailyUsage,
  integer,
  text,
  tableEnd,
}: SchemaDialect): readonly string[] {
  if (keepsDailyUsage) return [];
  return [
    `create table pending_charges (position ${integer} primary key autoincrement, lines ${text} not null) ${tableEnd}`,
  ];
}
