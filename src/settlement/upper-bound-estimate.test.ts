import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../test/support/request-parsing.ts';
import { upperBoundEstimate } from './upper-bound-estimate.ts';

const estimate = (body: object) => upperBoundEstimate(parse({ model: 'acme/atlas-4', ...body }).canonical);
const asking = (...parts: object[]) => [
  { role: 'user', content: [{ type: 'input_text', text: 'Hello' }, ...parts] },
];

test('each kind of content adds what it may take at most, and a tenth', () => {
  const bare = estimate({ input: asking() });
  const added = (...parts: object[]) => estimate({ input: asking(...parts) }) - bare;
  const isAbout = (found: number, tokens: number) =>
    assert.ok(Math.abs(found - tokens * 1.1) <= 1, `${found} instead of ${tokens} and a tenth`);
  assert.ok(bare >= 8 && bare <= 12, String(bare));
  const picture = { type: 'input_image', image_url: 'https://127.0.0.1/a.png' };
  isAbout(added(picture, picture, picture, picture), 4 * 1_600);
  isAbout(added({ type: 'input_file', file_url: 'https://127.0.0.1/a.pdf' }), 2_000);
  const words = added({ type: 'input_text', text: 'word '.repeat(1_000) });
  assert.ok(words >= 1_100 && words < 1_150, String(words));
});

test('further items and tools make it higher, no tools add nothing', () => {
  const [message] = asking();
  const bare = estimate({ input: [message] });
  assert.equal(estimate({ input: [message], tools: [] }), bare);
  assert.ok(bare < 100);
  assert.ok(estimate({ input: [message, message] }) > bare + 6);
  const tool = { type: 'function', name: 'look', parameters: { type: 'object' } };
  assert.ok(estimate({ input: [message], tools: [tool] }) > bare + 374);
});
