import { HeadgateError } from '../../core/errors.ts';
import type { HeardPiece } from '../../core/inner-turn.ts';
import type { FunctionTool, Item } from '../../core/request.ts';
import { createChecker } from '../../schema/checker.ts';
import type { JsonObject } from '../../util/json.ts';
import { optional, Type, text } from '../../util/json-schema.ts';
import { type NamedEntry, namedEntries } from '../entry-names.ts';
import { innerCanonical, messageOf, readInnerSettings, transcriptOf } from '../inner-request.ts';
import type { ServerTool, ToolContext, ToolOffer, ToolResult } from '../server-tool.ts';

const type = 'service:advisor';
/** Calls of all advisors of one request. */
const mostCalls = 10;

const checkInput = createChecker(Type.Object({ prompt: optional(text()), model: optional(text()) }));

/** `service:advisor`: another model that the model may ask for advice (docs/spec/server-tools.md#advisor). */
export const advisorTool: ServerTool = {
  type,
  concerns: ({ canonical }) => canonical.serviceTools?.some((tool) => tool.type === type) === true,
  offer(request) {
    const entries = namedEntries(request, type);
    const calls = { left: mostCalls };
    return entries.map((entry) => new AdvisorOffer(entry, entries.length > 1, calls));
  },
};

/** One advisor of one request, with what it was asked before. */
class AdvisorOffer implements ToolOffer {
  readonly type = type;
  readonly definition: FunctionTool;
  readonly #entry: NamedEntry;
  readonly #isOneOfMany: boolean;
  readonly #calls: { left: number };
  readonly #memory: Item[] = [];

  constructor(entry: NamedEntry, isOneOfMany: boolean, calls: { left: number }) {
    this.#entry = entry;
    this.#isOneOfMany = isOneOfMany;
    this.#calls = calls;
    this.definition = definitionOf(entry);
  }

  announce(input: JsonObject): JsonObject {
    return this.#shown(input);
  }

  failed(input: JsonObject): JsonObject {
    return this.#shown(input);
  }

  async run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    const { settings } = this.#entry.tool;
    const { prompt, model: wanted } = checkInput(input, '');
    const forwards = settings.forward_transcript === true;
    if (!prompt && !forwards) throw new HeadgateError('invalid_request', 'prompt: is required');
    if (this.#calls.left <= 0)
      throw new HeadgateError('invalid_request', 'The advisors were asked often enough.');
    this.#calls.left -= 1;
    const { request } = context;
    const asked = prompt ? [messageOf('user', prompt)] : [];
    const items = forwards
      ? [...transcriptOf(request.canonical.items), ...asked]
      : [...this.#replayed(request.canonical.items), ...this.#memory, ...asked];
    const model = textOf(settings.model) ?? textOf(wanted) ?? context.model;
    const answer = await context.innerTurn({
      models: [model],
      canonical: innerCanonical(items, readInnerSettings(settings)),
      ...(settings.stream === true && { hear: (piece) => tell(piece, context) }),
    });
    const { text: advice } = answer;
    if (!forwards) this.#memory.push(...asked, messageOf('assistant', advice));
    if (settings.stream === true && advice !== '') {
      await context.progress('output_text.done', { content_index: 0, text: advice, logprobs: [] });
    }
    return {
      output: JSON.stringify({ status: 'ok', model: answer.model, advice }),
      fields: { ...this.#shown(input), model: answer.model, advice },
    };
  }

  /** What this advisor was asked in earlier requests, as the client has kept it. */
  #replayed(items: readonly Item[]): readonly Item[] {
    return items.flatMap((item) => {
      if (item.kind !== 'service' || item.type !== type) return [];
      const { prompt, advice, instance_name: instance } = item.fields;
      const isMine = this.#isOneOfMany ? instance === this.#entry.instance : true;
      if (!isMine || typeof prompt !== 'string' || typeof advice !== 'string' || advice === '') return [];
      return [messageOf('user', prompt), messageOf('assistant', advice)];
    });
  }

  #shown({ prompt }: JsonObject): JsonObject {
    const instance = this.#isOneOfMany ? { instance_name: this.#entry.instance } : {};
    return { ...(typeof prompt === 'string' && { prompt }), ...instance };
  }
}

function definitionOf({ tool: { settings }, functionName, name }: NamedEntry): FunctionTool {
  const forwards = settings.forward_transcript === true;
  const known = forwards
    ? 'It knows this conversation.'
    : 'It knows only what you and it said to each other.';
  const prompt = { type: 'string', description: 'What to ask, with everything it has to know.' };
  const model = { type: 'string', description: 'The slug of the model to ask.' };
  return {
    kind: 'function',
    name: functionName,
    description: `Asks ${name === undefined ? 'another model' : `the advisor "${name}"`} for advice. ${known}`,
    parameters: {
      type: 'object',
      properties: { prompt, ...(settings.model === undefined && { model }) },
      required: forwards ? [] : ['prompt'],
    },
  };
}

/** Shows advice while it is written. */
function tell(piece: HeardPiece, { progress }: ToolContext): Promise<void> | undefined {
  if (piece.kind !== 'text' || piece.text === '') return undefined;
  return progress('output_text.delta', { content_index: 0, delta: piece.text, logprobs: [] });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
