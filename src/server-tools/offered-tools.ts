import type { ExecutedPart } from '../core/answer-part.ts';
import { clientTools, offeredTools } from '../core/client-tools.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type {
  CanonicalChat,
  FunctionTool,
  Item,
  ServiceItem,
  ServiceTool,
  ToolChoice,
} from '../core/request.ts';
import { reservedServices } from '../core/reserved-services.ts';
import type {
  LoopContext,
  OfferContext,
  OpenedTool,
  ServerTool,
  SuspendedCall,
  ToolOffer,
  WithheldTools,
} from './server-tool.ts';

/** The tools of the gateway that one request offers to its model, by the names of their functions. */
export class OfferedTools {
  readonly #offers: ReadonlyMap<string, ToolOffer>;
  readonly #opened: readonly OpenedTool[];
  #withheld: WithheldTools | undefined;
  /** What the client lets be called, hidden functions included. */
  #allowed: readonly string[] = [];
  /** The request as the tools understand it. */
  readonly request: InferenceRequest;

  private constructor(
    offers: ReadonlyMap<string, ToolOffer>,
    opened: readonly OpenedTool[],
    request: InferenceRequest,
  ) {
    this.#offers = offers;
    this.#opened = opened;
    for (const { withheld } of offers.values()) this.#withheld ??= withheld;
    this.request = request;
  }

  /**
   * The tools a request lists; undefined without any. They must be closed.
   * @throws HeadgateError `invalid_request` when a client's function has the name of one, or one is not to be had here.
   */
  static async open(
    request: InferenceRequest,
    tools: readonly ServerTool[],
    context: LoopContext & OfferContext,
  ): Promise<OfferedTools | undefined> {
    const opened: OpenedTool[] = [];
    try {
      let understood = request;
      for (const tool of tools) {
        const opening = tool.concerns(request) ? tool.open?.(understood, context) : undefined;
        if (opening === undefined) continue;
        const one = await opening;
        opened.push(one);
        understood = one.request;
      }
      return OfferedTools.#of(understood, tools, context, opened);
    } catch (thrown) {
      for (const one of opened) one.close();
      throw thrown;
    }
  }

  static #of(
    request: InferenceRequest,
    tools: readonly ServerTool[],
    context: OfferContext,
    opened: readonly OpenedTool[],
  ): OfferedTools | undefined {
    const offers = new Map<string, ToolOffer>();
    const found = new Set<string>();
    const checkTools = (inner: readonly ServiceTool[]) => {
      const canonical = { ...request.canonical, tools: [], serviceTools: inner };
      OfferedTools.#of({ ...request, canonical }, tools, context, []);
    };
    const questions = { ...context, checkTools };
    for (const tool of tools) {
      if (!tool.concerns(request)) continue;
      found.add(tool.type);
      for (const offer of tool.offer(request, questions)) offers.set(offer.definition.name, offer);
    }
    for (const offer of opened.flatMap((one) => one.offers)) offers.set(offer.definition.name, offer);
    const missing = request.canonical.serviceTools?.find(({ type }) => !found.has(type));
    if (missing !== undefined) throw unavailable(missing.spelled);
    if (offers.size + opened.length === 0) return undefined;
    refuseTaken(request, offers);
    return new OfferedTools(offers, opened, request);
  }

  /** What was done to open the tools. */
  get shown(): readonly ExecutedPart[] {
    return this.#opened.flatMap(({ shown }) => shown);
  }

  /** How many calls that were. */
  get calls(): number {
    return this.#opened.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Calls of earlier requests that can go on, in the order of their tools. */
  get suspended(): readonly SuspendedCall[] {
    return Array.from(this.#offers.values()).flatMap(({ suspended = [] }) => suspended);
  }

  /** Whether a tool has something to do before the model is asked. */
  get needPreparing(): boolean {
    for (const { needsPreparing } of this.#offers.values()) if (needsPreparing === true) return true;
    return false;
  }

  /** Has tools do what comes before the model is asked. The caller must be admitted. */
  async prepare(context: LoopContext): Promise<void> {
    for (const offer of this.#offers.values()) await offer.prepare?.(context);
  }

  /** Lets go of what the tools use. */
  close(): void {
    for (const one of this.#opened) one.close();
  }

  /** Whether a function, by its qualified name, is one of them, or one of the client that the model was not offered yet. */
  has(name: string): boolean {
    return this.#offers.has(name) || this.#withheld?.has(name) === true;
  }

  /** The tool behind a function. @throws HeadgateError when there is none. */
  find(name: string): ToolOffer {
    const offer = this.#offers.get(name) ?? (this.#withheld?.has(name) ? hiddenFunction(name) : undefined);
    if (offer === undefined) throw new HeadgateError('server');
    return offer;
  }

  /**
   * The request with their functions behind the client's own tools. Sealed reasoning is asked for, because a later turn has
   * to hand it back. Replayed calls of tools that are not listed become text (docs/spec/server-tools.md#replay).
   */
  offerIn(request: InferenceRequest): InferenceRequest {
    const { parameters } = request;
    const canonical = this.#withheld?.hideIn(request.canonical) ?? request.canonical;
    const definitions = Array.from(this.#offers.values(), ({ definition }) => definition);
    const toolChoice = this.#limit(forceOnly(request.canonical, definitions), definitions);
    const tools = [...canonical.tools, ...definitions];
    return {
      ...request,
      // Only endpoints whose models call functions can serve.
      parameters: parameters.includes('tools') ? parameters : [...parameters, 'tools'],
      canonical: {
        ...canonical,
        tools: this.#withheld?.showIn(tools) ?? tools,
        toolChoice,
        items: withoutEmpty(this.#toldInWords(canonical.items)),
        includeEncryptedReasoning: true,
      },
    };
  }

  /** A later turn's request with what was found meanwhile, at the end so that what was cached before stays. */
  showFound(request: InferenceRequest): InferenceRequest {
    const withheld = this.#withheld;
    if (withheld === undefined || withheld.found.length === 0) return request;
    const { canonical } = request;
    const { toolChoice: choice } = canonical;
    const allowed = withheld.found.filter((name) => this.#allowed.includes(name));
    const toolChoice =
      choice.kind === 'allowed' ? { ...choice, names: [...choice.names, ...allowed] } : choice;
    return { ...request, canonical: { ...canonical, tools: withheld.showIn(canonical.tools), toolChoice } };
  }

  /** Where functions are hidden the search may be called as well, whatever else may. */
  #limit(choice: ToolChoice, definitions: readonly FunctionTool[]): ToolChoice {
    const withheld = this.#withheld;
    if (withheld === undefined || choice.kind !== 'allowed') return choice;
    this.#allowed = choice.names;
    const visible = choice.names.filter((name) => !withheld.has(name));
    return { ...choice, names: [...visible, ...definitions.map(({ name }) => name)] };
  }

  #toldInWords(items: readonly Item[]): readonly Item[] {
    const types = new Set(Array.from(this.#offers.values(), ({ type }) => type));
    const isForeign = (item: Item) =>
      item.kind === 'service' && !types.has(item.type) && !reservedServices.has(item.type);
    if (!items.some(isForeign)) return items;
    return items.map((item) => (item.kind === 'service' && isForeign(item) ? toText(item) : item));
  }
}

/** Stands for a function that the model calls though it was not offered it. */
function hiddenFunction(name: string): ToolOffer {
  return {
    type: 'service:tool_search',
    definition: { kind: 'function', name },
    hidesFailures: true,
    run: () =>
      Promise.reject(
        new HeadgateError('invalid_request', `The function "${name}" is not loaded; search for it first.`),
      ),
  };
}

/** `required` with one tool means that tool. */
function forceOnly({ toolChoice, tools }: CanonicalChat, definitions: readonly FunctionTool[]): ToolChoice {
  const [only, ...others] = definitions;
  if (toolChoice.kind !== 'required' || only === undefined || others.length + tools.length > 0)
    return toolChoice;
  return { kind: 'tool', form: 'function', name: only.name };
}

/** Items that offer tools of the gateway alone, or hidden functions, offer nothing to the provider. */
function withoutEmpty(items: readonly Item[]): readonly Item[] {
  const isEmpty = (item: Item) =>
    item.kind === 'additional_tools' && item.tools.length === 0 && item.others === undefined;
  if (!items.some(isEmpty)) return items;
  return items.flatMap((item, index) => (isEmpty(item) ? [] : [{ ...item, place: item.place ?? index }]));
}

function toText({ type, fields }: ServiceItem): Item {
  const { encrypted_content: _sealed, ...shown } = fields;
  const text = `(The tool ${type} was used before: ${JSON.stringify(shown)})`;
  return { kind: 'message', role: 'assistant', content: [{ kind: 'text', text }] };
}

function unavailable(spelled: string): HeadgateError {
  const message = `tools: "${spelled}" is not available on this server, leave it out`;
  return new HeadgateError('invalid_request', message);
}

function refuseTaken(request: InferenceRequest, offers: ReadonlyMap<string, ToolOffer>): void {
  const taken = clientTools(offeredTools(request.canonical)).find(
    ({ tool, namespace }) => namespace === undefined && offers.has(tool.name),
  );
  if (taken === undefined) return;
  const message = `tools: the name "${taken.tool.name}" belongs to a tool of the gateway; rename the function`;
  throw new HeadgateError('invalid_request', message);
}
