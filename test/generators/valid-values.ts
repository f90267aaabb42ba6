import fc from 'fast-check';

/** An object as a request or an answer writes it. */
export type JsonItem = Record<string, unknown>;

/** Values of members, by their names. */
export type Members = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Short text of any script. */
export const words = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
const odd = fc.constantFrom('\ud800', 'a\udfffb', '\u0000', '__proto__', 'NaN', '\u202e', '🏳️‍🌈');

/** Text somebody said: mostly ordinary, now and then of the odd kind. */
export const said = fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: odd });

/** An item's id. */
export const id = fc.stringMatching(/^[a-z]{2,4}_[A-Za-z0-9]{5}$/);

/** How far most items can have got. */
export const usualStatus = fc.constantFrom('in_progress', 'completed', 'incomplete');

/** A value, or null in its place. */
export function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { freq: 8 });
}

/** A short list. */
export function several<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> {
  return fc.array(value, { maxLength: 3 });
}

/** An object with all members of the first kind and any of the second; the latter may be null. */
export function object(required: Members, optional: Members = {}): fc.Arbitrary<JsonItem> {
  const nullable = Object.entries(optional).map(([name, value]) => [name, maybe(value)]);
  const model: Members = { ...required, ...Object.fromEntries(nullable) };
  return fc.record(model, { requiredKeys: Object.keys(required) });
}

/** The same for an object of a kind. */
export function kind(type: string, required: Members = {}, optional: Members = {}): fc.Arbitrary<JsonItem> {
  return object({ type: fc.constant(type), ...required }, optional);
}
