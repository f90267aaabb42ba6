import { hostedItems, textItems } from '../../../test/fake-upstream/responses-items.ts';
import { responsesEvents, toStream, type WireEvent } from '../../../test/fake-upstream/responses-stream.ts';
import { describeFuzz } from '../../../test/support/describe-fuzz.ts';
import { withJunk } from '../../../test/support/reads-cleanly.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

describeFuzz<WireEvent>({
  adapter,
  events: responsesEvents({ output: [...textItems, ...hostedItems] }),
  failure: { type: 'error', code: 'server_is_overloaded', message: 'Overloaded.' },
  bytesOf: (chosen) => Buffer.from(toStream(chosen).join('')),
  spoil: withJunk,
});
