import { marksOf, type Static, type TSchema } from '../util/json-schema.ts';
import { malformed, memberPath } from './fault.ts';
import { compileFaultFinder } from './fault-finder.ts';
import { wordsOf } from './found-fault.ts';

/** A name nobody could take for a value in the wrong place. */
const plainName = /^[a-z_]{1,40}$/i;

/**
 * Returns a value as what its schema says it is.
 * @param path Where the value stands in the request, for the message.
 * @throws HeadgateError `invalid_request` naming the path of the first fault and what is allowed there.
 */
export type Checker<Value> = (value: unknown, path: string) => Value;

/**
 * Compiles a schema once into a checker; members marked as handled elsewhere are not looked at. Messages about a
 * schema marked as secret repeat nothing that was sent.
 */
export function createChecker<Schema extends TSchema>(schema: Schema): Checker<Static<Schema>> {
  const find = compileFaultFinder(schema);
  const isSecret = marksOf(schema).secret === true;
  return (value, path) => {
    const fault = find?.(value);
    if (fault === undefined) return value as Static<Schema>;
    const shown = isSecret
      ? fault.steps.filter((step) => typeof step === 'number' || plainName.test(step))
      : fault.steps;
    const place = shown.reduce<string>(
      (parent, step) => (typeof step === 'number' ? `${parent}[${step}]` : memberPath(parent, step)),
      path,
    );
    throw malformed(place, isSecret ? fault.problem : wordsOf(fault));
  };
}
