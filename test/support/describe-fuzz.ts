import { test } from 'node:test';
import fc from 'fast-check';
import type { Adapter } from '../../src/upstream/adapter.ts';
import type { CallChanges } from '../fake-upstream/upstream-call.ts';
import { readsCleanly } from './reads-cleanly.ts';

/** What a dialect is read with. */
export interface Fuzz<Event> {
  readonly adapter: Adapter;
  readonly changes?: CallChanges;
  /** One answer with everything in it. */
  readonly events: readonly Event[];
  /** An event that says that the answer failed, if there is one of its own. */
  readonly failure?: Event;
  readonly bytesOf: (events: readonly Event[]) => Buffer;
  /** The event with its member number `place`, counted through all depths, replaced by something else. */
  readonly spoil: (event: Event, place: number, junk: unknown) => Event;
}

const junk = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.string(),
  fc.constant([]),
  fc.constant({}),
  fc.boolean(),
);

/** Whatever a provider sends, it is read as a legal stream or ends with a clean error. */
export function describeFuzz<Event>(fuzz: Fuzz<Event>): void {
  const { adapter, changes, failure, bytesOf, spoil } = fuzz;
  const events = [...fuzz.events];
  const read = (bytes: Buffer) => readsCleanly(adapter, [bytes], changes);

  test('whole, it is a legal stream', () => read(bytesOf(events)));

  test('events repeated, left out or in another order are a legal stream or a clean error', () => {
    const any = fc.constantFrom(...events, ...(failure === undefined ? [] : [failure]));
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), (chosen) => read(bytesOf(chosen))),
      { numRuns: 400 },
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (order) => read(bytesOf(order))),
      { numRuns: 200 },
    );
  });

  test('bytes spoilt or cut off are a legal stream or a clean error', () => {
    const whole = bytesOf(events);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, end) => {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        read(bytes.subarray(0, end));
      }),
      { numRuns: 400 },
    );
  });

  test('members of any type are a legal stream or a clean error', () => {
    fc.assert(
      fc.property(fc.nat(events.length - 1), fc.nat(40), junk, (index, place, value) =>
        read(bytesOf(events.map((event, at) => (at === index ? spoil(event, place, value) : event)))),
      ),
      { numRuns: 800 },
    );
  });
}
