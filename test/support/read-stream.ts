import assert from 'node:assert/strict';
import { checkStream, type WireEvent } from '../stream-checker.ts';
import { checkContract } from './contract.ts';
import { checkPublished } from './published-interface.ts';

/** A streamed answer as a client got it, checked against framing, grammar and contract. */
export interface ReadStream {
  readonly events: readonly WireEvent[];
  readonly terminal: Readonly<Record<string, unknown>>;
  /** Comments, without the colon. */
  readonly comments: readonly string[];
}

/** Reads a whole event stream and checks everything the specification says about every stream. */
export async function readStream(response: Response): Promise<ReadStream> {
  assert.equal(response.status, 200, await failureText(response));
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  return parseStream(await response.text());
}

/** Parses the text of an event stream by the framing of docs/spec/answers.md#framing, strictly. */
export function parseStream(text: string): ReadStream {
  const blocks = text.split('\n\n');
  assert.equal(blocks.pop(), '', 'the stream does not end with a blank line');
  assert.equal(blocks.pop(), 'data: [DONE]', 'the stream does not end with [DONE]');
  const comments: string[] = [];
  const events: WireEvent[] = [];
  for (const block of blocks) {
    if (block.startsWith(':')) {
      comments.push(block.slice(1).trim());
      continue;
    }
    const [first = '', second = '', ...more] = block.split('\n');
    assert.equal(more.length, 0, `an event has more than two lines: ${block}`);
    const event = JSON.parse(second.replace(/^data: /, '')) as WireEvent;
    assert.equal(first, `event: ${event.type}`);
    assert.doesNotMatch(second, halfCharacter, 'many readers of JSON refuse half a character');
    checkEvent(event);
    events.push(event);
  }
  return { events, terminal: checkStream(events), comments };
}

/** The escape of half a character; behind a second backslash it is text. */
const halfCharacter = /(?<!\\)(\\\\)*\\ud[89a-f]/;

/** Checks an event against Headgate's own document, and against the contract as far as the contract knows it. */
export function checkEvent(event: WireEvent): void {
  checkPublished('StreamEvent', event);
  const type = (event.item as { type?: string } | undefined)?.type ?? '';
  if (event.item !== undefined && !type.startsWith('mcp_')) checkContract('OutputItems', event.item);
  if (unlistedEvents.test(event.type) || unlistedItems.test(type)) return;
  checkContract('StreamEvents', withoutNullUsage(withoutReasoningPart(withoutUnlistedItems(event))));
}

/**
 * Events that are relayed though the contract does not list them (docs/spec/answers.md#events-of-items), and items its
 * events lack.
 */
const unlistedEvents = /^response\.(file_search_call|mcp_)/;
const unlistedItems = /^(mcp_|computer_call|shell_call|service:)/;

function withoutUnlistedItems(event: WireEvent): WireEvent {
  const response = event.response as { output?: readonly { type: string }[] } | undefined;
  if (response?.output === undefined) return event;
  const output = response.output.filter((item) => !unlistedItems.test(item.type));
  return { ...event, response: { ...response, output } };
}

/**
 * The specification wants `usage: null` before the terminal snapshot (docs/spec/answers.md#response-object) where the
 * contract's base schema knows only an object or nothing: the specification wins, the rest is checked as it stands.
 */
function withoutNullUsage(event: WireEvent): WireEvent {
  const response = event.response as Record<string, unknown> | undefined;
  if (response?.status !== 'in_progress' || response.usage !== null) return event;
  const { usage: _usage, ...rest } = response;
  return { ...event, response: rest };
}

/**
 * A reasoning text is a content part (docs/spec/answers.md#order-of-events), but the contract's base schema, which its
 * event schema includes, admits only text and refusal: the part is checked on its own and the event as if it held a
 * text.
 */
function withoutReasoningPart(event: WireEvent): WireEvent {
  const part = event.part as Record<string, unknown> | undefined;
  if (part?.type !== 'reasoning_text' || !event.type.startsWith('response.content_part.')) return event;
  checkContract('ReasoningTextContent', part);
  return { ...event, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } };
}

/** The joined text of all output messages. */
export function textOf(response: Readonly<Record<string, unknown>>): string {
  const output = response.output as { type: string; content?: { text?: string }[] }[];
  return output
    .filter((item) => item.type === 'message')
    .flatMap((item) => item.content ?? [])
    .map((part) => part.text ?? '')
    .join('');
}

async function failureText(response: Response): Promise<string> {
  return response.status === 200 ? '' : response.clone().text();
}
