import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { malformed } from './fault.ts';
import { findFault } from './find-fault.ts';
import { isObject } from './kind-table.ts';
import { handledElsewhere } from './schema.ts';

/**
 * Returns a value as what its schema says it is.
 * @param path Where the value stands in the request, for the message.
 * @throws HeadgateError `invalid_request` naming the path of the first fault and what is allowed there.
 */
export type Checker<Value> = (value: unknown, path: string) => Value;

/** Compiles a schema once into a checker; members marked as handled elsewhere are not looked at. */
export function createChecker<Schema extends TSchema>(schema: Schema): Checker<Static<Schema>> {
  const checked = withoutHandled(schema);
  const validator = Compile(Type.Unsafe<Static<Schema>>(checked));
  return (value, path) => {
    if (validator.Check(value)) return value;
    const fault = findFault(checked, value, path);
    throw malformed(fault?.path ?? path, fault?.problem ?? 'does not fit its schema');
  };
}

function withoutHandled(schema: TSchema): TSchema {
  if (handledElsewhere in schema) return {};
  const { properties }: { properties?: unknown } = schema;
  if (!isObject(properties)) return schema;
  const members = Object.entries(properties).map(([key, member]) => [key, withoutHandled(asSchema(member))]);
  return { ...schema, properties: Object.fromEntries(members) };
}

function asSchema(value: unknown): TSchema {
  return isObject(value) ? value : {};
}
