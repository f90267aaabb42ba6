import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountersByProvider } from './gateway-counters.ts';

test('however many providers there are, the series stay bounded and nothing is lost', () => {
  const providers = new CountersByProvider();
  for (let count = 0; count < 1000; count += 1) providers.of(`provider-${count}`).input += 1;
  const all = [...providers];
  assert.equal(all.length, 301);
  assert.equal(providers.of('provider-7').input, 1);
  assert.equal(providers.of('provider-999'), providers.of('provider-998'));
  assert.equal(
    all.reduce((sum, [, { input }]) => sum + input, 0),
    1000,
  );
});
