import type { AnswerPart, AnswerParts } from '../../core/answer-part.ts';
import type { Delta } from '../../core/delta.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { TextFormat } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { Stage, StageRun } from '../stage.ts';
import { healJson, type WantedJson } from './heal-json.ts';

type TextDelta = Extract<Delta, { kind: 'text' }>;

/**
 * The plugin `response-healing` (docs/spec/plugins.md#response-healing): repairs the JSON of an unstreamed answer that
 * should be JSON. A streamed answer is served unchanged.
 */
export const responseHealing: Stage = {
  place: 'response-healing',
  begin(request) {
    if (request.plugins === undefined || !isConcerned(request)) return undefined;
    return new Healing(request.canonical.format);
  },
};

function isConcerned({ plugins, stream, canonical }: InferenceRequest): boolean {
  const entry = plugins?.find(({ id }) => id === 'response-healing');
  return entry?.enabled === true && !stream && canonical.format.kind !== 'text';
}

class Healing implements StageRun {
  readonly #format: TextFormat;
  #buffered: AnswerPart[] = [];
  entry: PipelineEntry | undefined;

  constructor(format: TextFormat) {
    this.#format = format;
  }

  /** Keeps all parts until the last one has come: nobody reads an unstreamed answer before. */
  rewrite(parts: AnswerParts): AnswerParts {
    for (const part of parts) {
      this.#buffered.push(part);
      // Before the turn is settled, so that its record has the entry.
      if (part.kind === 'finish' && part.reason === 'stop') this.#buffered = [...this.#heal(this.#buffered)];
    }
    const ended = parts.at(-1);
    if (ended?.kind !== 'ended') return [];
    return ended.finish === 'stop' ? this.#heal(this.#buffered) : this.#buffered;
  }

  #heal(parts: readonly AnswerPart[]): AnswerParts {
    const last = parts.findLast((part) => part.kind === 'text');
    if (last?.kind !== 'text' || parts.some(({ kind }) => kind === 'refusal')) return parts;
    const isOfIt = (part: AnswerPart): part is TextDelta =>
      part.kind === 'text' && part.block === last.block && (part.part ?? 0) === (last.part ?? 0);
    const text = parts
      .filter(isOfIt)
      .map((part) => part.text)
      .join('');
    const healed = text.trim() === '' ? undefined : healJson(text, wantedOf(this.#format));
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
