import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spokenHeader } from './request.ts';

/** A header as the server of the runtime hands it on: each byte a character. */
const sent = (bytes: Buffer) => ({ headers: { 'x-session-id': bytes.toString('latin1') } });

test('what clients write in UTF-8 is read as they wrote it', () => {
  for (const text of ['plain-7', 'Gezeiten für Übermorgen', '潮の満ち引き 🌊']) {
    assert.equal(spokenHeader(sent(Buffer.from(text)), 'x-session-id'), text);
  }
  assert.equal(spokenHeader(sent(Buffer.from('für', 'latin1')), 'x-session-id'), 'für');
  assert.equal(spokenHeader({ headers: {} }, 'x-session-id'), undefined);
});
