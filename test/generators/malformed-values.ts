import fc from 'fast-check';

/** Any of some values. */
export function any(...values: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.constantFrom(...values);
}

/** An object parsed from JSON text, so that a key such as `__proto__` is the object's own. */
export function parsed(json: string): unknown {
  return JSON.parse(json);
}

/** An array in an array in an array. */
export function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const polluted = parsed('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
const numberLike = ['NaN', 'Infinity', '-Infinity', '1e999', '0x10', '1', '', ' ', '١', '\ud800'];

/** Values of every type but one. */
export const notText = any(5, 0, true, {}, [], ['a'], { toString: 'x' }, polluted, nested(800));
export const notNumber = any(true, {}, [], [1], polluted, nested(800), ...numberLike);
export const notInteger = fc.oneof(notNumber, any(0.5, 1e-9, 1.25));
export const notFlag = any('true', 'false', 0, 1, {}, [], polluted, ...numberLike);
export const notObject = any('x', 5, true, [], [{}], nested(800));
export const notList = any('x', 5, true, {}, polluted, { length: 3 }, { 0: 'text', length: 1 });

/** Words that no enumeration holds, among them the names every object inherits. */
export const notChoice = any(
  'bogus',
  '',
  'AUTO',
  ' auto',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\ud83d',
  'x'.repeat(100_000),
  '\u0000',
  5,
  true,
  {},
  [],
  ['auto'],
  polluted,
);

/** Members that a closed object must refuse. */
export const unknownMember = any(
  parsed('{"__proto__":{"effort":"high"}}'),
  parsed('{"constructor":1}'),
  { 'a b': 1 },
  { bogus: nested(800) },
  { ['k'.repeat(5000)]: 1 },
  { '\ud800': null },
);

/** A text longer than some bound. */
export function longerThan(bound: number): fc.Arbitrary<unknown> {
  return fc.constantFrom(1, 2, 1000, 100_000).map((more) => 'é'.repeat(bound + more));
}

/** Numbers outside a closed range. */
export function outside(min: number, max: number): fc.Arbitrary<unknown> {
  return any(min - 1, max + 1, min - 1e-9, max + 0.001, -1e308, 1e308);
}
