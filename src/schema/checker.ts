import type { Static, TSchema } from '../util/json-schema.ts';
import { malformed, memberPath } from './fault.ts';
import { compileFaultFinder } from './fault-finder.ts';

/**
 * Returns a value as what its schema says it is.
 * @param path Where the value stands in the request, for the message.
 * @throws HeadgateError `invalid_request` naming the path of the first fault and what is allowed there.
 */
export type Checker<Value> = (value: unknown, path: string) => Value;

/** Compiles a schema once into a checker; members marked as handled elsewhere are not looked at. */
export function createChecker<Schema extends TSchema>(schema: Schema): Checker<Static<Schema>> {
  const find = compileFaultFinder(schema);
  return (value, path) => {
    const fault = find?.(value);
    if (fault === undefined) return value as Static<Schema>;
    const place = fault.steps.reduce<string>(
      (parent, step) => (typeof step === 'number' ? `${parent}[${step}]` : memberPath(parent, step)),
      path,
    );
    throw malformed(place, fault.problem);
  };
}
