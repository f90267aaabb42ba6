import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describeError } from './describe-error.ts';
import { malformed } from './fault.ts';
import { handledElsewhere, keywordsOf } from './schema.ts';

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
    const { path: place, problem } = describeError(validator.Errors(value), checked, value, path);
    throw malformed(place, problem);
  };
}

function withoutHandled(schema: TSchema): TSchema {
  if (handledElsewhere in schema) return {};
  const { properties, items } = keywordsOf(schema);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: membersWithoutHandled(keywordsOf(properties)) }),
    ...(items === undefined ? {} : { items: withoutHandled(keywordsOf(items)) }),
  };
}

function membersWithoutHandled(members: Readonly<Record<string, unknown>>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [key, withoutHandled(keywordsOf(member))]),
  );
}
