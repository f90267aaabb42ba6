import type { ContentPart, EncryptedPart } from '../core/content.ts';
import type { Annotation, OutputLogprob } from '../core/delta.ts';
import type {
  CanonicalChat,
  CanonicalEmbedding,
  CanonicalRequest,
  Item,
  ReasoningItem,
  TextFormat,
  TextPart,
} from '../core/request.ts';
import type { StopCondition } from '../core/stop-condition.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import {
  changed,
  FreeObjects,
  fixed,
  foreign,
  mapped,
  ofUser,
  type TextPlace,
  type TextVisitor,
  unseen,
} from './free-objects.ts';
import { joinedName, ToolTexts } from './tool-texts.ts';

/**
 * Calls back for every text of a request, and returns the request with the replacements
 * (docs/spec/guardrails.md#scanned-text). Everything is read but what docs/spec/guardrails.md#unread lists.
 * What stays the same is the same object.
 */
export function rewriteTexts<Wanted extends CanonicalRequest>(request: Wanted, visitor: TextVisitor): Wanted;
export function rewriteTexts(request: CanonicalRequest, visitor: TextVisitor): CanonicalRequest {
  const rewriter = new TextRewriter(visitor);
  return request.kind === 'chat' ? rewriter.chat(request) : rewriter.embedding(request);
}

class TextRewriter {
  readonly #visitor: TextVisitor;
  readonly #free: FreeObjects;
  readonly #tools: ToolTexts;
  /** What parts became that were read with their neighbours. */
  readonly #joined = new Map<object, string>();

  constructor(visitor: TextVisitor) {
    this.#visitor = visitor;
    this.#free = new FreeObjects(visitor);
    this.#tools = new ToolTexts(visitor, this.#free);
  }

  /** Inputs of vectors stay apart: nothing joins them. */
  embedding(request: CanonicalEmbedding): CanonicalEmbedding {
    this.#fixed([request.inputType], unseen);
    const inputs = mapped(request.inputs, (input) =>
      typeof input === 'string' ? this.#text(input, ofUser) : input,
    );
    return changed(request, { inputs });
  }

  chat(request: CanonicalChat): CanonicalChat {
    const instructions = this.#readNeighbours(request);
    const { items, tools, serviceTools, toolChoice, sampling, format, prompt, extra } = request;
    this.#tools.choice(toolChoice);
    for (const condition of request.stopWhen ?? []) this.#condition(condition);
    this.#fixed(
      [
        ...(sampling.stop ?? []),
        ...(request.include ?? []),
        ...Object.entries(request.betas ?? {}).flat(2),
        request.promptCacheKey,
        request.promptCacheOptions?.ttl,
      ],
      unseen,
    );
    return changed(request, {
      ...(instructions !== undefined && { instructions }),
      items: mapped(items, (item) => this.#item(item)),
      tools: mapped(tools, (tool) => this.#tools.tool(tool)),
      ...(serviceTools && { serviceTools: mapped(serviceTools, (tool) => this.#tools.serviceTool(tool)) }),
      format: this.#format(format),
      ...(request.prediction !== undefined && { prediction: this.#text(request.prediction) }),
      ...(request.speech && { speech: this.#free.wire(request.speech, foreign) }),
      ...(request.imageConfig && { imageConfig: this.#free.wire(request.imageConfig, foreign) }),
      ...(prompt && { prompt: this.#prompt(prompt) }),
      ...(extra && {
        extra: changed(extra, {
          members: this.#free.wire(extra.members, foreign),
          ...(extra.attribution !== undefined && { attribution: this.#text(extra.attribution) }),
          ...(extra.taskBudget && { taskBudget: this.#free.wire(extra.taskBudget, foreign) }),
        }),
      }),
    });
  }

  /** Reads parts together that may become one text; returns the instructions. */
  #readNeighbours(request: CanonicalChat): string | undefined {
    let { instructions } = request;
    for (const { place, texts } of neighboursOf(request)) {
      const read = this.#visitor.joined(
        texts.map(({ text }) => text),
        place,
      );
      for (const [index, { part }] of texts.entries()) {
        if (part === request) instructions = read[index];
        else this.#joined.set(part, read[index] ?? '');
      }
    }
    if (instructions === undefined || instructions !== request.instructions) return instructions;
    return this.#text(instructions);
  }

  #text(text: string, place = foreign): string {
    return this.#visitor.text(text, place);
  }

  /** Words that must stay as they are. */
  #fixed(texts: readonly (string | undefined)[], place = fixed): void {
    for (const text of texts) if (text !== undefined) this.#visitor.text(text, place);
  }

  #list(texts: readonly string[]): readonly string[] {
    return texts.length > 1
      ? unless(texts, this.#visitor.joined(texts, foreign))
      : mapped(texts, (text) => this.#text(text));
  }

  #condition(condition: StopCondition): void {
    if (condition.type === 'has_tool_call') this.#fixed([condition.toolName], unseen);
    else if (condition.type === 'finish_reason_is') this.#fixed([condition.reason], unseen);
  }

  #format(format: TextFormat): TextFormat {
    if (format.kind !== 'json_schema') return format;
    this.#fixed([format.name]);
    return changed(format, {
      ...(format.description !== undefined && { description: this.#text(format.description) }),
      schema: this.#free.plain(format.schema, foreign),
    });
  }

  #prompt(prompt: JsonObject): JsonObject {
    const { variables, ...rest } = prompt;
    const read = this.#free.wire(rest, ofUser);
    const values = isObject(variables) ? this.#free.values(variables, ofUser) : variables;
    return read === rest && values === variables ? prompt : { ...read, variables: values };
  }

  #item(item: Item): Item {
    this.#fixed([item.id]);
    const read = this.#itemOfKind(item);
    if (item.extra === undefined) return read;
    return changed(read, { extra: this.#free.wire(item.extra, foreign) });
  }

  #itemOfKind(item: Item): Item {
    switch (item.kind) {
      case 'message': {
        const place = item.role === 'user' ? ofUser : foreign;
        return changed(item, { content: this.#parts(item.content, place) });
      }
      case 'reasoning':
        return this.#reasoning(item);
      case 'call':
        this.#fixed([item.callId, item.name, item.namespace]);
        if (item.namespace !== undefined) this.#fixed([joinedName(item.namespace, item.name)]);
        return changed(item, {
          input: item.form === 'function' ? this.#free.json(item.input) : this.#text(item.input),
        });
      case 'call_output':
        this.#fixed([item.callId]);
        return changed(item, { output: this.#parts(item.output, foreign) });
      case 'hosted':
        this.#fixed([item.status]);
        return changed(item, { fields: this.#free.wire(item.fields, foreign) });
      case 'service':
        return changed(item, {
          fields: this.#free.wire(item.fields, foreign),
          ...(item.rounds && {
            rounds: mapped(item.rounds, (round) =>
              changed(round, {
                items: mapped(round.items, (one) => this.#item(one)),
                outputs: mapped(round.outputs, (one) => this.#item(one)) as typeof round.outputs,
              }),
            ),
          }),
        });
      case 'additional_tools':
        return changed(item, {
          tools: mapped(item.tools, (tool) => this.#tools.tool(tool)),
          ...(item.others && { others: mapped(item.others, (one) => this.#free.wire(one, foreign)) }),
          ...(item.services && { services: mapped(item.services, (tool) => this.#tools.serviceTool(tool)) }),
        });
      case 'agent_message':
        this.#fixed([item.author, item.recipient]);
        return changed(item, { content: this.#parts(item.content, foreign) });
      case 'compaction':
        this.#sealed(item.encrypted);
        return item;
      case 'configuration_update':
        return item;
    }
  }

  #reasoning(item: ReasoningItem): ReasoningItem {
    this.#sealed(item.encrypted);
    this.#sealed(item.signature);
    const read = changed(item, { summary: this.#list(item.summary), content: this.#list(item.content) });
    // Its maker signed the text as it was.
    return read === item ? item : { ...read, signature: undefined, encrypted: undefined };
  }

  #sealed(text: string | undefined): void {
    if (text !== undefined) this.#free.sealed(text);
  }

  #parts<Part extends ContentPart | EncryptedPart>(
    parts: readonly Part[],
    place: TextPlace,
  ): readonly Part[] {
    return mapped(parts, (part) => this.#part(part, place) as Part);
  }

  #part(part: ContentPart | EncryptedPart, place: TextPlace): ContentPart | EncryptedPart {
    switch (part.kind) {
      case 'text':
        return this.#textPart(part, this.#ofPart(part, part.text, place));
      case 'refusal':
        return changed(part, { text: this.#ofPart(part, part.text, place) });
      case 'block':
        return changed(part, {
          block: this.#free.wire(part.block, place),
          ...(part.text !== undefined && { text: this.#ofPart(part, part.text, place) }),
        });
      case 'image':
      case 'video':
        if (part.kind === 'image') this.#fixed([part.fileId]);
        if (part.url === undefined) return part;
        return changed(part, { url: this.#free.media(part.url, part, place) });
      case 'audio':
        return changed(part, { data: this.#free.media(part.data, part, place) });
      case 'file':
        this.#fixed([part.fileId]);
        return changed(part, {
          ...(part.data !== undefined && { data: this.#free.media(part.data, part, place) }),
          ...(part.url !== undefined && { url: this.#free.media(part.url, part, place) }),
          ...(part.filename !== undefined && { filename: this.#text(part.filename, place) }),
          ...(part.context !== undefined && { context: this.#text(part.context, place) }),
        });
      case 'encrypted':
        this.#sealed(part.encrypted);
        return part;
    }
  }

  #ofPart(part: ContentPart, text: string, place: TextPlace): string {
    return this.#joined.get(part) ?? this.#text(text, place);
  }

  /** Annotations and log probabilities are about the text as it was. */
  #textPart(part: TextPart, text: string): TextPart {
    const citations = part.citations && mapped(part.citations, (one) => this.#free.wire(one, foreign));
    const isSame =
      [text === part.text, citations === part.citations, this.#cites(part.annotations)].every(Boolean) &&
      this.#logprobs(part.logprobs);
    if (isSame) return part;
    return { ...part, text, citations: undefined, annotations: undefined, logprobs: undefined };
  }

  /** Whether nothing in citations is to be replaced. */
  #cites(annotations: readonly Annotation[] = []): boolean {
    return annotations
      .map((one) => this.#free.wire(one as unknown as JsonObject, foreign) === (one as unknown))
      .every(Boolean);
  }

  /** Whether nothing in the tokens of a text and their alternatives is to be replaced. */
  #logprobs(tokens: readonly OutputLogprob[] = []): boolean {
    if (tokens.length === 0) return true;
    const texts = [tokens, ...tokens.map(({ top_logprobs: others }) => others)].flatMap((list) => [
      list.map(({ token }) => token).join(''),
      Buffer.from(list.flatMap(({ bytes }) => [...bytes])).toString('utf8'),
    ]);
    return [...new Set(texts)].map((text) => this.#text(text) === text).every(Boolean);
  }
}

function unless(list: readonly string[], read: readonly string[]): readonly string[] {
  return read.every((text, index) => text === list[index]) ? list : read;
}

/** Texts that adapters or providers may join to one. */
interface Neighbours {
  readonly place: TextPlace;
  /** At least two. The part of the instructions is the request itself. */
  readonly texts: readonly { readonly text: string; readonly part: ContentPart | CanonicalChat }[];
}

type Text = Neighbours['texts'][number];

/**
 * The texts of a request that may become one: those of one message or output, of messages of one side with nothing of another
 * between them, and all instructions, which some providers get together.
 */
function neighboursOf(request: CanonicalChat): readonly Neighbours[] {
  const { instructions, items } = request;
  const found: Neighbours[] = [];
  const system: Text[] = instructions === undefined ? [] : [{ text: instructions, part: request }];
  let side: 'user' | 'assistant' | undefined;
  let open: Text[] = [];
  const close = (): void => {
    add(found, side === 'user' ? ofUser : foreign, open);
    open = [];
    side = undefined;
  };
  for (const item of items) {
    const of = sideOf(item);
    if (of === 'system') pushTexts(system, contentOf(item));
    else if (of !== undefined) {
      if (of !== side) close();
      if (item.kind !== 'message') add(found, foreign, textsOf(contentOf(item)));
      else {
        side = of === 'user' ? 'user' : 'assistant';
        pushTexts(open, item.content);
      }
    }
  }
  close();
  add(found, foreign, system);
  return found;
}

/** Whose turn an item is part of; undefined where it says nothing that stands between two messages. */
function sideOf(item: Item): 'system' | 'user' | 'assistant' | 'other' | undefined {
  switch (item.kind) {
    case 'message':
      return item.role === 'user' || item.role === 'assistant' ? item.role : 'system';
    case 'reasoning':
    case 'additional_tools':
    case 'configuration_update':
    case 'compaction':
      return undefined;
    default:
      return 'other';
  }
}

function contentOf(item: Item): readonly (ContentPart | EncryptedPart)[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}

function textsOf(parts: readonly (ContentPart | EncryptedPart)[]): Text[] {
  const texts: Text[] = [];
  pushTexts(texts, parts);
  return texts;
}

function pushTexts(texts: Text[], parts: readonly (ContentPart | EncryptedPart)[]): void {
  for (const part of parts) {
    if ('text' in part && part.text !== undefined && part.text !== '') texts.push({ text: part.text, part });
  }
}

function add(found: Neighbours[], place: TextPlace, texts: readonly Text[]): void {
  if (texts.length > 1) found.push({ place, texts });
}
