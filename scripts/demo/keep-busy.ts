import type { Demo } from './start-demo.ts';

/** Milliseconds between two requests. */
const pause = 2_500;
const prompts = [
  'What is a canal lock?',
  'Name three rivers.',
  'How does a headgate work?',
  'Why do dams leak?',
];

/** Sends a request of some key to some model again and again, so that pages show something that runs and how providers do. */
export function keepBusy({ url, accounts }: Demo, models: readonly string[]): { stop: () => void } {
  const stopped = new AbortController();
  const keys = accounts.flatMap((account) => Object.values(account.keys));
  const pick = (values: readonly string[]) => values[Math.floor(Math.random() * values.length)] ?? '';
  const ask = async () => {
    const response = await fetch(`${url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${pick(keys)}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: pick(models),
        input: pick(prompts),
        stream: Math.random() < 0.8,
        max_output_tokens: 60 + Math.floor(Math.random() * 900),
      }),
      signal: stopped.signal,
    });
    await response.arrayBuffer();
  };
  // A key at its limit is refused, which pages show too.
  const timer = setInterval(() => void ask().catch(() => undefined), pause);
  stopped.signal.addEventListener('abort', () => clearInterval(timer));
  return { stop: () => stopped.abort() };
}
