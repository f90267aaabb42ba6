import fc from 'fast-check';

export { fc };

/** Runs a check for many values. */
export function property<Value>(values: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  fc.assert(
    fc.property(values, (value) => {
      check(value);
    }),
  );
}
