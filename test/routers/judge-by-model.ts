import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { readTaskTag } from '../../src/core/task-tags.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { type LabelledPrompt, labelledPrompts } from './labelled-prompts.ts';
import type { JudgedPrompt } from './measure-classification.ts';

/** A model on this machine that speaks the wire format of chat completions or embeddings. */
export interface LocalClassifier {
  /** Such as `http://127.0.0.1:9180/v1`. */
  readonly baseUrl: string;
  readonly kind: 'chat' | 'embedding';
  /** Asks about every so many-th prompt alone; 1 is all of them. */
  readonly step: number;
  /** Milliseconds it may take: long, so that slow machines tell what a model knows too. */
  readonly limit: number;
}

/** What a model said, and how long it took. */
export interface TimedPrompt extends JudgedPrompt {
  readonly by: 'rules' | 'model';
  readonly milliseconds: number;
}

const tools = [{ type: 'function', name: 'act', parameters: { type: 'object' } }];

/**
 * Has a gateway classify every prompt that rules were not tuned on with a model, by plans that ask it. An embedding model
 * learns its examples before.
 */
export async function judgeByModel({
  baseUrl,
  kind,
  step,
  limit: classifierTimeout,
}: LocalClassifier): Promise<readonly TimedPrompt[]> {
  const office = providerOf({ slug: 'clerk', baseUrl });
  const clerk = modelOf('desk/clerk', [office]);
  const auto = { ...usualRoutingRules.auto, classifierModel: 'desk/clerk', classifierTimeout };
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas', [providerOf({ slug: 'north', baseUrl })]),
      kind === 'chat' ? clerk : { ...clerk, inputModalities: ['text'], outputModalities: ['embeddings'] },
    ],
    config: { routing: { ...usualRoutingRules, auto } },
  });
  try {
    const judged: TimedPrompt[] = [];
    const judge = (prompt: LabelledPrompt) => ask(prompt, gateway);
    const prompts = labelledPrompts();
    for (const prompt of prompts.slice(0, kind === 'chat' ? 1 : 20)) await judge(prompt);
    const wanted = prompts.filter(({ part }) => part !== 'tuning').filter((_, place) => place % step === 0);
    for (const prompt of wanted) judged.push(await judge(prompt));
    return judged;
  } finally {
    await gateway.stop();
  }
}

async function ask(
  prompt: LabelledPrompt,
  gateway: { readonly url: string; readonly key: string },
): Promise<TimedPrompt> {
  const { text: input, instructions, hasTools } = prompt;
  const began = performance.now();
  const response = await fetch(`${gateway.url}/api/v1/responses/plan?classify=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: 'service/auto', input, instructions, ...(hasTools === true && { tools }) }),
  });
  const plan = (await response.json()) as {
    readonly routers: readonly {
      readonly data: { readonly task_type?: string; readonly classified_by?: string };
    }[];
  };
  const milliseconds = performance.now() - began;
  const { task_type: tag = '', classified_by: by } = plan.routers[0]?.data ?? {};
  return { prompt, found: readTaskTag(tag), by: by === 'rules' ? 'rules' : 'model', milliseconds };
}
