import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { ExchangeRecorder } from './exchange-recorder.ts';
import type { GatewayProcess } from './gateway-process.ts';

/** The `openai` client as its users make it, with its raw answers kept aside. It repeats nothing unless told to. */
export function createClient(
  gateway: GatewayProcess,
  { key = gateway.key, maxRetries = 0 }: { readonly key?: string; readonly maxRetries?: number } = {},
): { readonly client: OpenAI; readonly recorder: ExchangeRecorder } {
  const recorder = new ExchangeRecorder();
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries, fetch: recorder.fetch });
  return { client, recorder };
}

/**
 * The library's types do not know that a turn's items may come back as they are
 * (docs/spec/answers.md#what-clients-need).
 */
export function asInput({ output }: OpenAI.Responses.Response): ResponseInput {
  return output as ResponseInput;
}
