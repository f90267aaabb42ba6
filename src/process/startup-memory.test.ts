import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartupMemory } from './compose-services.ts';

for (const isClosed of [false, true]) {
  test(`a second after the start of a server that is ${isClosed ? 'closed' : 'open'}`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const memory = new StartupMemory();
    let asked = 0;
    memory.release(() => {
      asked += 1;
      return true;
    });
    if (isClosed) memory.close();
    t.mock.timers.tick(60_000);
    assert.equal(asked, isClosed ? 0 : 1);
  });
}
