import type { AnswerPart, AnswerParts } from '../../core/answer-part.ts';
import type { Delta } from '../../core/delta.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { TextFormat } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { IsolatedProcesses } from '../../isolation/isolated-processes.ts';
import { isolatedTask } from '../../isolation/isolated-task.ts';
import type { Stage, StageContext, StageRun } from '../stage.ts';
import { type HealJob, healJson, isIntact, longestHealed, type WantedJson } from './heal-json.ts';

type TextDelta = Extract<Delta, { kind: 'text' }>;

/** UTF-16 units of the longest text that is repaired at once; repairs take time with the square of it. */
const longestInline = 4_096;
/** Milliseconds that the repair of a longer text may take. */
const longestRepair = 250;
const task = isolatedTask<HealJob, string | undefined>(import.meta.url, './heal-json', 'healJob');

/**
 * The plugin `response-healing` (docs/spec/plugins.md#response-healing): repairs the JSON of an unstreamed answer that
 * should be JSON. A streamed answer is served unchanged.
 * @param processes Where longer texts are repaired.
 */
export function responseHealing(processes: Pick<IsolatedProcesses, 'run'>): Stage {
  return {
    place: 'response-healing',
    begin(request: InferenceRequest) {
      if (request.plugins === undefined || !isConcerned(request)) return undefined;
      return new Healing(request.canonical.format, processes);
    },
  };
}

function isConcerned({ plugins, stream, canonical }: InferenceRequest): boolean {
  const entry = plugins?.find(({ id }) => id === 'response-healing');
  return entry?.enabled === true && !stream && canonical.format.kind !== 'text';
}

class Healing implements StageRun {
  readonly #format: TextFormat;
  readonly #processes: Pick<IsolatedProcesses, 'run'>;
  #buffered: AnswerPart[] = [];
  /** The text that was looked at last; it is not looked at twice. */
  #seen: string | undefined;
  entry: PipelineEntry | undefined;

  constructor(format: TextFormat, processes: Pick<IsolatedProcesses, 'run'>) {
    this.#format = format;
    this.#processes = processes;
  }

  /** Keeps all parts until the last one has come: an unstreamed answer is not read before. */
  async rewrite(parts: AnswerParts, context: StageContext): Promise<AnswerParts> {
    for (const part of parts) {
      this.#buffered.push(part);
      // Before the turn is settled, so that its record has the entry.
      if (part.kind === 'finish' && part.reason === 'stop')
        this.#buffered = [...(await this.#heal(this.#buffered, context))];
    }
    const ended = parts.at(-1);
    if (ended?.kind !== 'ended') return [];
    return ended.finish === 'stop' ? this.#heal(this.#buffered, context) : this.#buffered;
  }

  async #heal(parts: readonly AnswerPart[], context: StageContext): Promise<AnswerParts> {
    const last = parts.findLast((part) => part.kind === 'text');
    if (last?.kind !== 'text' || parts.some(({ kind }) => kind === 'refusal')) return parts;
    const isOfIt = (part: AnswerPart): part is TextDelta =>
      part.kind === 'text' && part.block === last.block && (part.part ?? 0) === (last.part ?? 0);
    const text = parts
      .filter(isOfIt)
      .map((part) => part.text)
      .join('');
    if (text.trim() === '' || text === this.#seen) return parts;
    const healed = await this.#repair(text, context);
    this.#seen = healed ?? text;
    if (healed === undefined) return parts;
    this.entry = {
      type: 'response_healing',
      name: 'response-healing',
      data: {
        mode: this.#format.kind,
        improved: true,
        original_length: text.length,
        healed_length: healed.length,
      },
    };
    return replaceText(parts, isOfIt, last, healed);
  }

  /** The repaired text; undefined where it is intact, cannot be repaired, or that takes too long. */
  async #repair(text: string, { accountId: owner, signal }: StageContext): Promise<string | undefined> {
    const wanted = wantedOf(this.#format);
    if (text.length <= longestInline) return healJson(text, wanted);
    if (text.length > longestHealed || isIntact(text, wanted)) return undefined;
    const run = { time: longestRepair, owner, bytes: 2 * text.length, signal };
    const outcome = await this.#processes.run(task, { text, wanted }, run);
    return 'result' in outcome ? outcome.result : undefined;
  }
}

/** The first delta of the text says all of it. Its citations point into a text that is gone. */
function replaceText(
  parts: readonly AnswerPart[],
  isOfIt: (part: AnswerPart) => part is TextDelta,
  { block }: TextDelta,
  text: string,
): AnswerParts {
  let isWritten = false;
  return parts.flatMap((part): readonly AnswerPart[] => {
    if (part.kind === 'annotation' && part.block === block) return [];
    if (!isOfIt(part)) return [part];
    if (isWritten) return [];
    isWritten = true;
    return [{ ...part, text, logprobs: undefined }];
  });
}

function wantedOf(format: TextFormat): WantedJson {
  if (format.kind !== 'json_schema') return { mustBeObject: true, opens: '{' };
  const { type } = format.schema;
  if (type === 'object') return { mustBeObject: false, opens: '{' };
  return type === 'array' ? { mustBeObject: false, opens: '[' } : { mustBeObject: false };
}
