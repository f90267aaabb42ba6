import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialects } from './dialects.ts';
import { setStage } from './support/stage.ts';

/** What every object of the language has as a member, so that a careless table knows it. */
const word = 'constructor';
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const error = { code: word, type: word, status: word, message: 'No.', details: [{ reason: word }] };
const reported = Buffer.from(JSON.stringify({ type: 'error', error }));
const told = Buffer.from(`event: error\ndata: ${reported}\n\n`);

describe('words every object inherits are unknown like others', () => {
  for (const dialect of dialects) {
    test(dialect.adapter, async () => {
      const stage = await setStage(dialect);
      try {
        for (const status of [400, 500]) {
          stage.deliver({ status, headers: json, body: [reported] });
          assert.equal((await stage.ask()).status, status === 400 ? 400 : 502);
        }
        stage.deliver({ status: 200, headers: events, body: [told] });
        assert.equal((await stage.ask({ stream: true })).status, 502);
        stage.say({ utterances: [{ say: ['Good day.'] }], finish: 'stop', usage: { input: 9, output: 7 } });
        const file = { type: 'input_file', filename: `tides.${word}`, file_data: 'aGVsbG8=' };
        const got = await stage.ask({ input: [{ role: 'user', content: [file] }] });
        assert.notEqual(got.status, 500);
        assert.doesNotMatch(JSON.stringify([got.body, stage.provider.seen]), /native code/);
      } finally {
        await stage.strike();
      }
    });
  }
});
