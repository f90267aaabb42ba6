import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import type { OutputLogprob } from '../../../core/delta.ts';
import type { StreamEvent } from '../../gateway/assembly/response.ts';
import { encodeEvents } from './responses-writer.ts';

test('the short way to write text deltas gives the same bytes as the long one', () => {
  const logprob = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] };
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.constantFrom<OutputLogprob[]>([], [logprob]),
      (delta, output_index, content_index, sequence_number, logprobs) => {
        const event: StreamEvent = {
          type: 'response.output_text.delta',
          item_id: 'msg_AbC123',
          output_index,
          content_index,
          delta,
          logprobs,
          sequence_number,
        };
        const expected = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
        assert.equal(encodeEvents([event]), expected);
      },
    ),
  );
});
