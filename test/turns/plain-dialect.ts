import type { AnswerParts, EndedPart } from '../../src/core/answer-part.ts';
import { HeadgateError, publicMessage } from '../../src/core/errors.ts';
import { usdToNumber } from '../../src/core/money.ts';
import { plainChat } from '../../src/core/request.ts';
import { totalInput } from '../../src/core/usage.ts';
import type { AnswerWriter, PublicDialect } from '../../src/dialects/public-dialect.ts';
import { isObject } from '../../src/util/json.ts';

/**
 * A dialect of tests: `{model, say, stream}` at `/plain`. Answered by `{model, text, tokens, cost}`, or by lines of text
 * as they come with that object as the last line.
 */
export const plainDialect: PublicDialect = {
  name: 'plain',
  path: '/plain',
  read(body, { headers }) {
    if (!isObject(body) || typeof body.model !== 'string' || typeof body.say !== 'string') {
      throw new HeadgateError('invalid_request', 'say: expected texts "model" and "say"');
    }
    const stream = body.stream === true;
    const request = {
      canonical: plainChat([{ kind: 'message', role: 'user', content: [{ kind: 'text', text: body.say }] }]),
      models: [body.model],
      provider: {},
      stream,
      wantsMetadata: headers.metadata === 'enabled',
      strict: false,
      echoUpstreamBody: false,
      parameters: [],
    } as const;
    return { request, createWriter: () => new PlainWriter(stream) };
  },
  describeError: ({ status, message }) => ({ failed: message, status }),
};

class PlainWriter implements AnswerWriter {
  readonly #stream: boolean;
  #model = '';
  #text = '';
  #ended: EndedPart | undefined;

  constructor(stream: boolean) {
    this.#stream = stream;
  }

  write(parts: AnswerParts): string {
    let text = '';
    for (const part of parts) {
      if (part.kind === 'opened') this.#model = part.model;
      else if (part.kind === 'text') text += part.text;
      else if (part.kind === 'ended') this.#ended = part;
    }
    this.#text += text;
    if (!this.#stream) return '';
    const line = text === '' ? '' : `data: ${text}\n\n`;
    return this.#ended === undefined ? line : `${line}data: ${this.body()}\n\n`;
  }

  body(): string {
    const { error, bill } = this.#ended ?? {};
    if (error !== undefined) return JSON.stringify({ failed: publicMessage(error) });
    const { usage, charge } = bill ?? {};
    return JSON.stringify({
      model: this.#model,
      text: this.#text,
      tokens: usage && (totalInput(usage) ?? 0) + (usage.output ?? 0),
      cost: charge && usdToNumber(charge),
    });
  }
}
