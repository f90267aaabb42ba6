import type { AnswerParts, EndedPart } from '../../../core/answer-part.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { AnswerText, AnswerWriter, CarrierSeal } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';
import { toResponseUsage } from '../answer/response-usage.ts';
import { sealSummary } from './sealed-summary.ts';

/** What the writer must know of the request. */
export interface CompactionSettings {
  /** What stands before the summary. */
  readonly kept: readonly JsonObject[];
  readonly carriers: CarrierSeal;
}

/** Writes the text of the model as a sealed summary (docs/spec/compaction.md#answer). */
export class CompactionWriter implements AnswerWriter {
  readonly #settings: CompactionSettings;
  #summary = '';
  #model: string | undefined;
  #ended: EndedPart | undefined;

  constructor(settings: CompactionSettings) {
    this.#settings = settings;
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      if (part.kind === 'opened') this.#model = part.model;
      else if (part.kind === 'text') this.#summary += part.text;
      else if (part.kind === 'ended') this.#end(part);
    }
    return '';
  }

  body(): AnswerText {
    if (this.#ended === undefined) throw new HeadgateError('server');
    const { bill, report, at } = this.#ended;
    const { kept, carriers } = this.#settings;
    const encrypted_content = sealSummary(this.#summary.trim(), carriers);
    return JSON.stringify({
      id: createId('resp_'),
      object: 'response.compaction',
      created_at: Math.floor(at / 1000),
      model: this.#model,
      output: [...kept, { type: 'compaction', id: createId('cmp_'), encrypted_content }],
      usage: toResponseUsage(bill),
      ...(report !== undefined && { service_metadata: serviceMetadata(report) }),
    });
  }

  /** Without a summary, the caller would throw its conversation away for nothing. */
  #end(part: EndedPart): void {
    if (part.error === undefined && this.#summary.trim() === '') {
      throw new HeadgateError('provider_failed', 'The model wrote no summary; keep the conversation.');
    }
    this.#ended = part;
  }
}
