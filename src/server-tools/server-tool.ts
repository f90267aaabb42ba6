import type { ExecutedPart, SuspendedPart } from '../core/answer-part.ts';
import type { Model } from '../core/catalogue.ts';
import type { Fee } from '../core/fee.ts';
import type { HostedItemType, HostedKind } from '../core/hosted.ts';
import type { IdPrefix } from '../core/ids.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { TakeInnerTurn } from '../core/inner-turn.ts';
import type { NanoUsd } from '../core/money.ts';
import type { CallItem, CanonicalChat, FunctionTool, ImagePart, ServiceItem, Tool } from '../core/request.ts';
import type { ServiceTool, ServiceType } from '../core/tool.ts';
import type { JsonObject } from '../util/json.ts';

/** A tool that the gateway runs when the model calls it. */
export interface ServerTool {
  /** Its type id, such as `service:datetime`. */
  readonly type: ServiceType;
  /** The hosted tool that it stands for where no endpoint runs that, once it can. */
  readonly replaces?: {
    readonly kind: HostedKind;
    readonly item: HostedItemType;
    readonly isReady: () => boolean;
    /** Whether a request may list it more than once, each entry for another thing. */
    readonly repeats?: boolean;
    /** Whether an entry is the gateway's in any case, or never; undefined where that depends on the endpoints. */
    readonly takes?: (settings: JsonObject) => boolean | undefined;
  };
  /** Set where it may concern a request that lists neither a tool of the gateway nor a hosted one. */
  readonly comesUnlisted?: true;
  /** Whether a request offers it to its model. Asked before anything else, so it must cost next to nothing. */
  concerns(request: InferenceRequest): boolean;
  /**
   * What a request that it concerns offers: one function, or one for each entry of a tool that may be listed more than once.
   * Asked once a request, before its first turn; what is offered may count the calls of the request.
   * @throws HeadgateError `invalid_request` when its settings contradict each other, or its backend is off.
   */
  offer(request: InferenceRequest, context: OfferQuestions): readonly ToolOffer[];
  /**
   * Opens what a request that it concerns lists, where the tool has to ask somebody first; undefined where it lists nothing of
   * that. Asked once a request, before all tools offer.
   * @throws HeadgateError when it cannot be opened.
   */
  open?(request: InferenceRequest, context: LoopContext): Promise<OpenedTool> | undefined;
}

/** The caller that tools are offered to. */
export interface OfferContext {
  readonly accountId: string;
  readonly workspaceId: string | null;
  /** Whether a slug is that of a model, or of a router, that the caller may name. */
  readonly knowsModel: (slug: string) => boolean;
  /** Whether the caller's workspace has disabled a tool, by its type id. */
  readonly isDisabled: (type: string) => boolean;
}

/** The same, and what a tool may ask about others: those it offers to models it asks. */
export interface OfferQuestions extends OfferContext {
  /**
   * Checks that tools can be offered to a model that is asked on behalf of another one.
   * @throws HeadgateError `invalid_request` when one cannot.
   */
  readonly checkTools: (tools: readonly ServiceTool[]) => void;
}

/** What a tool offers that had to ask somebody first. */
export interface OpenedTool {
  readonly offers: readonly ToolOffer[];
  /** The request as its functions understand it. */
  readonly request: InferenceRequest;
  /** What was done meanwhile; shown once the first turn has begun. */
  readonly shown: readonly ExecutedPart[];
  /** How many calls ran meanwhile. */
  readonly calls: number;
  /** Lets go of what the offers use. Called once the request is over; must not fail. */
  close(): void;
}

/** Functions of the client that are hidden from the model until they are found. */
export interface WithheldTools {
  /** Whether the model was not offered a function yet, by its qualified name. */
  has(name: string): boolean;
  /** A request without any of them, found or not. */
  hideIn<Some extends Pick<CanonicalChat, 'tools' | 'items'>>(request: Some): Some;
  /** Qualified names of what was found since tools were shown last. */
  readonly found: readonly string[];
  /** Adds what was found since this was called last to tools; from now on it is offered. */
  showIn(tools: readonly Tool[]): readonly Tool[];
}

/** A function that stands for a tool of the gateway in one request. */
export interface ToolOffer {
  /** The type id of its tool. */
  readonly type: ServiceType;
  readonly definition: FunctionTool;
  /** What the ids of its items begin with; `st_` by default. */
  readonly idPrefix?: IdPrefix;
  /** The type of its items, where the client listed the tool by another name. */
  readonly as?: HostedItemType | undefined;
  /** Functions of the client that are offered only once this tool has found them. */
  readonly withheld?: WithheldTools;
  /** Calls of earlier requests that waited for the client; they go on before the model is asked. */
  readonly suspended?: readonly SuspendedCall[];
  /** Whether something has to be done before the model is asked. */
  readonly needsPreparing?: boolean;
  /** Does it, once the caller is admitted; must not fail. */
  prepare?(context: LoopContext): Promise<void>;
  /**
   * What is shown of a call before it ran, besides type, id and status. Without it a call is shown once it ran, which suits
   * tools that take no time.
   */
  announce?(input: JsonObject, written: string, callId: string): JsonObject;
  /**
   * Runs one call.
   * @param input The arguments: any JSON object, perhaps against the schema.
   * @throws HeadgateError when it cannot be run: the model gets the message as its result.
   */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>;
  /** What is shown of a call that failed by throwing, beside the error; nothing by default. */
  failed?(input: JsonObject): JsonObject;
  /** Whether its arguments go to a service outside; what runs as a turn or beside the gateway is scanned elsewhere, or stays. */
  readonly leaves?: boolean;
  /** Whether a call that failed by throwing is shown to nobody but the model. */
  readonly hidesFailures?: boolean;
}

/** A call of a tool that ended an earlier answer because the client had to act, and that can go on now. */
export interface SuspendedCall {
  /** How the conversation holds it. */
  readonly item: ServiceItem;
  /** The call as the model made it. */
  readonly call: CallItem;
  /** Runs the rest of it. */
  readonly rest: ToolOffer;
}

/** The caller and the request that tools run for. */
export interface LoopContext {
  readonly accountId: string;
  readonly workspaceId: string | null;
  readonly keyHash: string;
  /** Aborted when the request is. */
  readonly signal: AbortSignal;
  readonly innerTurn: TakeInnerTurn;
  /**
   * Checks that the caller can pay for more. Asked before a tool does something that costs.
   * @throws HeadgateError when it cannot: the model gets the message as its result.
   */
  readonly checkMeans: () => Promise<void>;
  /**
   * Reads arguments by the caller's guardrails before they leave the gateway, and returns what may leave.
   * @throws HeadgateError when a guardrail blocks them: the model gets the message as its result.
   */
  readonly scanArguments: (input: JsonObject) => Promise<JsonObject>;
  /** Whether an endpoint reads pictures in the results of calls. */
  readonly readsPictures: (served: Served) => boolean;
  /** The models that the caller may use. */
  readonly models: () => readonly Model[];
  /**
   * Holds what something may cost of the limits of the caller, until it is charged or the request ends.
   * @throws HeadgateError when nothing is left of a limit.
   */
  readonly reserve: (cost: NanoUsd) => Promise<void>;
  /** Charges a fee for what was done; resolves when it is durable. */
  readonly charge: (fee: Fee) => Promise<void>;
  /** Called when a call is over. */
  readonly onTool?: ((ran: RanTool) => void) | undefined;
  /** Notes calls for spans; undefined where none are made. */
  readonly trace?: ToolTracing | undefined;
}

/** Notes calls of tools for spans. */
export interface ToolTracing {
  /** A call begins. Undefined where there is no room for more. */
  begin(call: {
    readonly type: string;
    readonly name: string;
    readonly callId: string;
  }): ToolSpan | undefined;
}

/** One call as its span will have it. */
export interface ToolSpan {
  readonly spanId: string;
  /** The call is over. @param fields What is shown of it. */
  end(ran: RanTool, fields: JsonObject): void;
}

/** What answered a turn: the model, and the tag of its endpoint where that is known. */
export interface Served {
  readonly model: string;
  readonly tag?: string | undefined;
}

/** A call of a tool that is over, for operators. */
export interface RanTool {
  readonly type: ServiceType;
  /** Whether its result says that it failed. */
  readonly failed: boolean;
  /** Milliseconds. */
  readonly time: number;
  /** Fees and inner turns. */
  readonly cost: NanoUsd;
}

/** What a running tool may use. */
export interface ToolContext extends LoopContext {
  /** The model's id of the call. */
  readonly callId: string;
  /** The arguments as the model wrote them. */
  readonly written: string;
  /** The request as it was when the turn began. */
  readonly request: InferenceRequest;
  /** The slug of the model that answered the turn. */
  readonly model: string;
  /**
   * Shows that something happened, by the name of an event of the tool's items. A tool that shows much waits for what it
   * returns: until the client has read enough.
   */
  progress(event: string, fields: JsonObject): Promise<void> | undefined;
}

/** A result with pictures. */
export interface PicturedResult {
  readonly output: string;
  readonly pictures: readonly ImagePart[];
}

/** What came of a call. */
export interface ToolResult {
  /** What the model reads. */
  readonly output: string;
  /** What it reads in place of that where it reads pictures. */
  readonly pictured?: PicturedResult | undefined;
  /** What the client sees of the call besides type, id and status. */
  readonly fields: JsonObject;
  /** The id of its item, where that says something. */
  readonly id?: string;
  /** Items that follow it, where its kind has others for what came of it. */
  readonly also?: readonly {
    readonly as: HostedItemType;
    readonly idPrefix: IdPrefix;
    readonly fields: JsonObject;
  }[];
  readonly status?: ExecutedPart['status'];
  /** Whether the client has to act on it before the model can go on: then the answer ends. */
  readonly ends?: boolean;
  /** Functions of the client that it waits for, and what it has to be sent back with; the answer ends. */
  readonly waits?: Pick<SuspendedPart, 'calls' | 'items'>;
  /** Whether nothing is shown of it besides what it waits for. */
  readonly isHidden?: boolean;
}

/** The first entry of a tool in a request; later ones do not count (docs/spec/server-tools.md#kinds). */
export function entryOf({ canonical }: InferenceRequest, type: ServiceType) {
  return canonical.serviceTools?.find((tool) => tool.type === type);
}
