import type { SchemaDialect } from '../schema-dialect.ts';

/** Charge lines that the database refused, by generation id, until it accepts them. */
export function heldCharges({ text, tableEnd }: SchemaDialect): readonly string[] {
  return [`create table held_charges (id ${text} primary key not null, line ${text} not null) ${tableEnd}`];
}
