import { binaryEvent, binaryException } from '../../../test/support/binary-message.ts';
import { describeFuzz } from '../../../test/support/describe-fuzz.ts';
import { withJunk } from '../../../test/support/reads-cleanly.ts';
import { amazonBedrockAdapter as adapter } from './amazon-bedrock-adapter.ts';

/** The type and payload of an event. */
type Said = readonly [type: string, payload: unknown];

const throttled: Said = ['throttlingException', {}];

const piece = (contentBlockIndex: number, delta: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta }] as const;
const begin = (contentBlockIndex: number, start: object) =>
  ['contentBlockStart', { contentBlockIndex, start }] as const;
const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const;

/** One answer with everything in it. */
const events: readonly Said[] = [
  ['messageStart', { role: 'assistant' }],
  piece(0, { reasoningContent: { text: 'Hm 漢字' } }),
  piece(0, { reasoningContent: { signature: 'S' } }),
  stop(0),
  piece(1, { reasoningContent: { redactedContent: 'QQ==' } }),
  stop(1),
  piece(2, { text: 'Noon ' }),
  stop(2),
  piece(3, { text: '👩‍🚀' }),
  piece(3, { citation: { title: 'T', location: { web: { url: 'https://a.test' } } } }),
  stop(3),
  begin(4, { toolUse: { toolUseId: 't', name: 'f' } }),
  piece(4, { toolUse: { input: '{"a":' } }),
  piece(4, { toolUse: { input: '1}' } }),
  stop(4),
  begin(5, { image: { format: 'png' } }),
  piece(5, { image: { source: { bytes: 'QUJD' } } }),
  stop(5),
  ['somethingNew', { contentBlockIndex: 2 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 1, outputTokens: 2 } }],
];

const binary = (said: Said) =>
  said === throttled ? binaryException('throttlingException', {}) : binaryEvent(...said);

describeFuzz<Said>({
  adapter,
  changes: { endpoint: { upstreamModel: 'anthropic.claude-opus-4-7' } },
  events,
  failure: throttled,
  bytesOf: (chosen) => Buffer.concat(chosen.map(binary)),
  spoil: ([type, payload], place, junk) => [type, withJunk(payload, place, junk)],
});
