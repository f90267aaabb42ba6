import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ServerSentEvent } from '../../src/upstream/adapter.ts';
import { EventStreamParser } from '../../src/upstream/wire/event-stream-parser.ts';

const folder = join(import.meta.dirname, '../recordings');
const recordings = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.sse'),
);

/** The events of chunks, as one text so that comparing thousands of readings stays cheap. */
function read(chunks: readonly Buffer[]): string {
  let events = '';
  const parser = new EventStreamParser(({ event, data }: ServerSentEvent) => {
    events += `${event ?? ''}\n${data}\n`;
  }, 2 ** 25);
  for (const chunk of chunks) parser.push([chunk]);
  parser.end();
  return events;
}

for (const file of recordings) {
  test(`cut at every byte, ${file} gives the same events`, () => {
    const bytes = readFileSync(join(folder, file));
    const whole = read([bytes]);
    assert.ok(whole.length > 0);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      if (read([bytes.subarray(0, cut), bytes.subarray(cut)]) !== whole) assert.fail(`cut at byte ${cut}`);
    }
  });
}
