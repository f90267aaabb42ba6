import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Item } from '../../src/core/request.ts';
import { featuresUsed } from '../../src/translation/features-used.ts';
import { translate } from '../../src/translation/translate.ts';
import type { Adapter } from '../../src/upstream/adapter.ts';
import { amazonBedrockAdapter } from '../../src/upstream/amazon-bedrock/amazon-bedrock-adapter.ts';
import {
  anthropicMessagesAdapter,
  vertexMessagesAdapter,
} from '../../src/upstream/anthropic-messages/anthropic-messages-adapter.ts';
import { googleGeminiAdapter } from '../../src/upstream/google-gemini/google-gemini-adapter.ts';
import { openaiChatAdapter } from '../../src/upstream/openai-chat/openai-chat-adapter.ts';
import { openaiResponsesAdapter } from '../../src/upstream/openai-responses/openai-responses-adapter.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';
import { conversations } from '../generators/conversations.ts';
import { chatRules, responsesRules } from './rules/list-rules.ts';
import type { Rules } from './rules/rules.ts';
import {
  converseRules,
  endlessConverseRules,
  endlessGeminiRules,
  endlessMessagesRules,
  geminiRules,
  messagesRules,
  signedGeminiRules,
} from './rules/turn-rules.ts';

/** More in the slow lane: HEADGATE_FUZZ_RUNS. */
const numRuns = Number(process.env.HEADGATE_FUZZ_RUNS ?? 300);

interface Case {
  readonly title: string;
  readonly adapter: Adapter;
  readonly model: string;
  readonly rules: Rules;
  readonly quirks?: Readonly<Record<string, unknown>>;
}

const hostedTools = ['web_search', 'file_search', 'code_interpreter', 'mcp', 'image_generation', 'shell'];
const cases: readonly Case[] = [
  { title: 'Claude', adapter: anthropicMessagesAdapter, model: 'claude-sonnet-4-5', rules: messagesRules },
  {
    title: 'Claude on Vertex',
    adapter: vertexMessagesAdapter,
    model: 'claude-opus-4-6',
    rules: endlessMessagesRules,
  },
  {
    title: 'newer Claude',
    adapter: anthropicMessagesAdapter,
    model: 'claude-opus-4-8',
    rules: endlessMessagesRules,
  },
  {
    title: 'Claude on Bedrock',
    adapter: amazonBedrockAdapter,
    model: 'anthropic.claude-sonnet-4-5-v1:0',
    rules: converseRules,
    quirks: { region: 'us-east-1' },
  },
  {
    title: 'newer Claude on Bedrock',
    adapter: amazonBedrockAdapter,
    model: 'anthropic.claude-opus-5-5',
    rules: endlessConverseRules,
    quirks: { region: 'us-east-1' },
  },
  {
    title: 'Nova on Bedrock',
    adapter: amazonBedrockAdapter,
    model: 'amazon.nova-2-lite-v1:0',
    rules: converseRules,
    quirks: { region: 'us-east-1' },
  },
  { title: 'Gemini 2.5', adapter: googleGeminiAdapter, model: 'gemini-2.5-pro', rules: geminiRules },
  { title: 'Gemini 3', adapter: googleGeminiAdapter, model: 'gemini-3-pro', rules: signedGeminiRules },
  { title: 'Gemini 3.8', adapter: googleGeminiAdapter, model: 'gemini-3.8-flash', rules: endlessGeminiRules },
  { title: 'chat completions', adapter: openaiChatAdapter, model: 'atlas-4', rules: chatRules },
  {
    title: 'chat completions that take thoughts back',
    adapter: openaiChatAdapter,
    model: 'atlas-4',
    rules: chatRules,
    quirks: { reasoningReplay: 'thinking_parts', shortCallIds: true },
  },
  {
    title: 'OpenAI responses',
    adapter: openaiResponsesAdapter,
    model: 'gpt-5',
    rules: responsesRules,
    quirks: { hostedTools },
  },
  { title: 'plain responses', adapter: openaiResponsesAdapter, model: 'atlas-4', rules: responsesRules },
];

/** The faults of a conversation as it goes out. */
function faultsOf(items: readonly Item[], { adapter, model, quirks = {}, rules }: Case): readonly string[] {
  const call = createCall({ request: { items }, endpoint: { upstreamModel: model }, provider: { quirks } });
  const support = adapter.support(call.endpoint.provider, model);
  const { request } = translate(call.request, featuresUsed(call.request), { ...call, support });
  return rules(JSON.parse(JSON.stringify(adapter.encode({ ...call, request }).body)));
}

for (const one of cases) {
  test(`any conversation keeps the rules of ${one.title}`, () => {
    fc.assert(
      fc.property(conversations, (items) => {
        assert.deepEqual(faultsOf(items, one), []);
      }),
      { numRuns },
    );
  });
}
