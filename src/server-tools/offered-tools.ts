import { clientTools, offeredTools } from '../core/client-tools.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { FunctionTool } from '../core/request.ts';
import type { ServerTool } from './server-tool.ts';

/** A tool, and the function that stands for it in one request. */
interface Offer {
  readonly tool: ServerTool;
  readonly definition: FunctionTool;
}

/** The tools of the gateway that one request offers to its model, by the names of their functions. */
export class OfferedTools {
  readonly #offers: ReadonlyMap<string, Offer>;

  private constructor(offers: ReadonlyMap<string, Offer>) {
    this.#offers = offers;
  }

  /**
   * The tools a request lists; undefined without any. Allocates nothing then.
   * @throws HeadgateError `invalid_request` when a client's function has the name of one.
   */
  static of(request: InferenceRequest, tools: readonly ServerTool[]): OfferedTools | undefined {
    let offers: Map<string, Offer> | undefined;
    for (const tool of tools) {
      const definition = tool.offer(request);
      if (definition === undefined) continue;
      offers ??= new Map();
      offers.set(definition.name, { tool, definition });
    }
    if (offers === undefined) return undefined;
    refuseTaken(request, offers);
    return new OfferedTools(offers);
  }

  /** Whether a function is one of them. */
  has(name: string): boolean {
    return this.#offers.has(name);
  }

  /** The tool behind a function. @throws HeadgateError when there is none. */
  find(name: string): ServerTool {
    const offer = this.#offers.get(name);
    if (offer === undefined) throw new HeadgateError('server');
    return offer.tool;
  }

  /**
   * The request with their functions behind the client's own tools. Sealed reasoning is asked for, because a later turn has
   * to hand it back.
   */
  offerIn(request: InferenceRequest): InferenceRequest {
    const { canonical, parameters } = request;
    const definitions = Array.from(this.#offers.values(), ({ definition }) => definition);
    const tools = [...canonical.tools, ...definitions];
    return {
      ...request,
      // Only endpoints whose models call functions can serve.
      parameters: parameters.includes('tools') ? parameters : [...parameters, 'tools'],
      canonical: { ...canonical, tools, includeEncryptedReasoning: true },
    };
  }
}

function refuseTaken(request: InferenceRequest, offers: ReadonlyMap<string, Offer>): void {
  const taken = clientTools(offeredTools(request.canonical)).find(
    ({ tool, namespace }) => namespace === undefined && offers.has(tool.name),
  );
  if (taken === undefined) return;
  const message = `tools: the name "${taken.tool.name}" belongs to a tool of the gateway; rename the function`;
  throw new HeadgateError('invalid_request', message);
}
