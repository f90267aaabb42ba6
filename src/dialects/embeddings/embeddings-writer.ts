import { endianness } from 'node:os';
import type { AnswerParts, EndedPart } from '../../core/answer-part.ts';
import { HeadgateError } from '../../core/errors.ts';
import { usdToNumber } from '../../core/money.ts';
import { totalInput } from '../../core/usage.ts';
import type { AnswerText, AnswerWriter } from '../public-dialect.ts';
import { serviceMetadata } from '../service-metadata.ts';

/** What the writer must know of the request. */
export interface EmbeddingsSettings {
  readonly id: string;
  readonly model: string;
  readonly encoding: 'float' | 'base64';
}

/** Writes vectors in the order of their inputs (docs/spec/embeddings.md#answer). */
export class EmbeddingsWriter implements AnswerWriter {
  readonly #settings: EmbeddingsSettings;
  readonly #vectors: Float32Array[] = [];
  #model: string;
  #ended: EndedPart | undefined;

  constructor(settings: EmbeddingsSettings) {
    this.#settings = settings;
    this.#model = settings.model;
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      if (part.kind === 'opened') this.#model = part.model;
      else if (part.kind === 'embedding') this.#vectors[part.index] = part.vector;
      else if (part.kind === 'ended') this.#end(part);
    }
    return '';
  }

  *body(): Iterable<string> {
    const { id, encoding } = this.#settings;
    yield `{"object":"list","id":${JSON.stringify(id)},"model":${JSON.stringify(this.#model)},"data":[`;
    for (const [index, vector] of this.#vectors.entries()) {
      const embedding = encoding === 'base64' ? JSON.stringify(toBase64(vector)) : toNumbers(vector);
      yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${embedding}}`;
    }
    yield `],${JSON.stringify(this.#rest()).slice(1)}`;
  }

  /** Half of the vectors are of no use. */
  #end(part: EndedPart): void {
    if (part.error !== undefined) throw part.error;
    this.#ended = part;
  }

  #rest() {
    const { bill, report } = this.#ended ?? {};
    if (bill === undefined) throw new HeadgateError('server');
    const tokens = totalInput(bill.usage) ?? 0;
    const { charge, cost, unpriced, isByok } = bill;
    return {
      usage: {
        prompt_tokens: tokens,
        total_tokens: tokens,
        ...(!unpriced && {
          cost: usdToNumber(charge),
          cost_details: {
            upstream_inference_cost: isByok ? usdToNumber(cost.total) : null,
            upstream_inference_prompt_cost: usdToNumber(cost.input),
            upstream_inference_completions_cost: usdToNumber(cost.output),
          },
        }),
        is_byok: isByok,
      },
      ...(report !== undefined && { service_metadata: serviceMetadata(report) }),
    };
  }
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

/** Each number as short as its 32 bits allow: half the text of a double. */
function toNumbers(vector: Float32Array): string {
  return `[${Array.from(vector, shortest).join(',')}]`;
}

function shortest(value: number): string {
  const short = Number(value.toPrecision(7));
  if (Math.fround(short) === value) return String(short);
  const longer = Number(value.toPrecision(8));
  return String(Math.fround(longer) === value ? longer : value);
}
