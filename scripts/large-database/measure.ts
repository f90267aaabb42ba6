import type { Storage } from '../../src/ports/storage.ts';
import type { Question } from './questions.ts';

/** Times of one query in milliseconds; undefined where it was not run. */
export interface Figures {
  readonly name: string;
  readonly cold: Durations | undefined;
  readonly warm: Durations | undefined;
  /** Why one failed, if one did. */
  readonly failure?: string;
}

/** Of one or more times, in milliseconds. */
export interface Durations {
  readonly p50: number;
  readonly longest: number;
}

/** Runs a query on a freshly started database, and then repeats it. */
export async function measure(question: Question, samples: number, storage: Storage): Promise<Figures> {
  const { cold = samples, warm = samples } = question.times ?? {};
  const { name } = question;
  try {
    return { name, cold: await ask(question, cold, storage), warm: await ask(question, warm, storage) };
  } catch (error) {
    return { name, cold: undefined, warm: undefined, failure: String(error) };
  }
}

async function ask(question: Question, times: number, storage: Storage): Promise<Durations | undefined> {
  if (times === 0) return undefined;
  const durations: number[] = [];
  for (let sample = 0; sample < times; sample += 1) {
    const start = performance.now();
    await question.ask(storage, sample);
    durations.push(performance.now() - start);
  }
  durations.sort((first, second) => first - second);
  return { p50: durations[Math.floor(durations.length / 2)] ?? 0, longest: durations.at(-1) ?? 0 };
}
