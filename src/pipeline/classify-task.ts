import type { Model } from '../core/catalogue.ts';
import type { InnerAnswer, TakeInnerTurn } from '../core/inner-turn.ts';
import { type CanonicalRequest, chatOf } from '../core/request.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import { questionForTask, questionForVectors, readTaskAnswer } from '../routers/auto/ask-for-task.ts';
import { type ReadTask, readTask } from '../routers/auto/classify-by-rules.ts';
import type { ClassifiedTask } from '../routers/router.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { Services } from './services.ts';

type ClassifyServices = Pick<Services, 'catalogue' | 'routing' | 'taskVectors'>;

/** Asks a model for the task of a request. Without an answer in time, rules decide. */
export type ClassifyTask = (call: CallFacts) => Promise<ClassifiedTask | undefined>;

/**
 * Makes what asks the operator's classifying model (docs/spec/routers.md#classification-by-a-model); undefined where there
 * is none. It is an inner turn of the request: it costs and is recorded, and what the request rules out is not asked.
 */
export function createClassifier(
  services: ClassifyServices,
  innerTurn: TakeInnerTurn,
  signal: AbortSignal,
): ClassifyTask | undefined {
  const { classifierModel: slug, classifierTimeout: within } = services.routing().auto;
  if (slug === undefined) return undefined;
  return async ({ request, caller }) => {
    const chat = chatOf(request.canonical);
    if (chat === undefined) return undefined;
    const task = readTask(chat);
    if (task.text.trim() === '') return undefined;
    const found = resolveSlug(slug, services.catalogue(), caller.account.id);
    // A router would ask for a task itself.
    if (found.outcome !== 'model') return undefined;
    const ask = (canonical: CanonicalRequest) => innerTurn({ models: [slug], canonical, within });
    try {
      return found.model.outputModalities.includes('embeddings')
        ? await askForVectors(found.model, task, services, ask)
        : readTaskAnswer((await ask(questionForTask(task))).text);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return undefined;
    }
  };
}

/** Brings along examples that are not known yet; until all are, rules decide. What tools are for is not in the words. */
async function askForVectors(
  { id }: Model,
  { text, hasTools }: ReadTask,
  { taskVectors }: ClassifyServices,
  ask: (canonical: CanonicalRequest) => Promise<InnerAnswer>,
): Promise<ClassifiedTask | undefined> {
  if (hasTools === true) return undefined;
  const learning = taskVectors.missing(id);
  const { vectors } = await ask(questionForVectors([text, ...learning.map((example) => example.text)]));
  if (learning.length > 0) taskVectors.learn(id, learning, vectors.slice(1));
  const [own] = vectors;
  return own === undefined || !taskVectors.isReady(id) ? undefined : taskVectors.nearest(own);
}
