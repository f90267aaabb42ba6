import type { Demo } from './start-demo.ts';

const model = 'acme/atlas-4-mini';

/** Prompts of several kinds of tasks. */
const prompts = [
  'Write a function in Python that merges two sorted lists.',
  'Translate to French: The gate opens at dawn.',
  'Summarize in one sentence why canals have headgates.',
  'Solve 3x + 7 = 22 and explain each step.',
  'Write a short poem about water.',
  'Is this review positive or negative? "The pump broke on the first day."',
];

/** Adds a guardrail, a preset of two versions and requests to a router, as a person would who tries everything. */
export async function furnish({ url, accounts }: Demo): Promise<void> {
  const [acme] = accounts;
  const post = async (key: string | undefined, path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  };
  await post(acme?.managementKey, '/guardrails', {
    name: 'Support',
    description: 'What leaves for models from conversations with customers.',
    content_filter_builtins: [
      { slug: 'credit-card', action: 'block' },
      { slug: 'email', action: 'redact' },
    ],
    content_filters: [{ pattern: 'ORDER-\\d{6}', action: 'redact', label: 'Order number' }],
    limit_usd: 50,
    reset_interval: 'daily',
  });
  for (const instructions of ['Answer in one sentence.', 'Answer in one short sentence, without lists.']) {
    const config = { model, instructions, temperature: 0.3, input: 'Hello' };
    await post(acme?.managementKey, '/presets/terse/responses', config);
  }
  // Turned away by routing: every provider of the model keeps prompts.
  await fetch(`${url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme?.keys['support-search']}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'globex/ibis-large',
      input: 'Hello',
      max_output_tokens: 200,
      provider: { zdr: true },
      tools: [{ type: 'web_search' }],
    }),
  });
  for (const input of prompts) {
    await post(acme?.keys['support-search'], '/responses', { model: 'service/auto', input });
  }
}
