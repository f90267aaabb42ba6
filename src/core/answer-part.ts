import type { JsonObject } from '../util/json.ts';
import type { Delta, FinishReason, ServedTier } from './delta.ts';
import type { HeadgateError } from './errors.ts';
import type { HostedItemType } from './hosted.ts';
import type { NanoUsd } from './money.ts';
import type { ParsedFile } from './parsed-file.ts';
import type { CallItem, Item } from './request.ts';
import type { PipelineEntry, RouteReport } from './route-report.ts';
import type { Usage } from './usage.ts';

/**
 * One piece of the canonical answer: what the pipeline yields and a public dialect writes. Most parts are deltas of
 * the model that answers; the others report how the request proceeds. A batch of parts arrived together.
 *
 * Order: `left_out`, `sent` and `reported` parts may come first, then `opened`, then `files` and deltas, then `settled`
 * for each turn, with what tools did behind it, and `ended` as the very last part. An answer that fails early may consist of `ended` alone. The numbers
 * of blocks are unique within an answer.
 */
export type AnswerPart =
  | Delta
  | SentPart
  | OpenedPart
  | FilesPart
  | ReportedPart
  | LeftOutPart
  | ExecutingPart
  | ProgressPart
  | ExecutedPart
  | SuspendedPart
  | SettledPart
  | EndedPart;

/** Parts that are about to be written together. */
export type AnswerParts = readonly AnswerPart[];

/** The canonical answer to one request. A reader that cannot write parts throws its error into the generator. */
export type Answer = AsyncGenerator<AnswerParts, unknown>;

/** A body that was sent to a provider, without secrets. Only yielded when the request asks for it. */
export interface SentPart {
  readonly kind: 'sent';
  readonly body: unknown;
}

/** A turn begins: an endpoint answers, and no other can take over. */
export interface OpenedPart {
  readonly kind: 'opened';
  /** The model that answers. */
  readonly model: string;
  /** The name of the provider that serves it. */
  readonly provider: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Files of the request as the gateway read them. Once, behind the first `opened` part. */
export interface FilesPart {
  readonly kind: 'files';
  readonly files: readonly ParsedFile[];
}

/** A stage changed or judged something. */
export interface ReportedPart {
  readonly kind: 'reported';
  readonly entry: PipelineEntry;
}

/** Tools of the request were left out because nobody can run them. Comes before anything is sent to a provider. */
export interface LeftOutPart {
  readonly kind: 'left_out';
  /** Their types as the client wrote them. */
  readonly tools: readonly string[];
}

/** A call of a tool of the gateway, as its item shows it. */
interface ToolItem {
  /** The tool's type id, such as `service:datetime`. */
  readonly type: `service:${string}`;
  /** The id of the item. */
  readonly id: string;
  /** The type of the item, where the client listed the tool by another name than its type id. */
  readonly as?: HostedItemType;
  /** What clients see of the call besides type, id and status. */
  readonly fields: JsonObject;
}

/** The gateway begins to run a tool call of the model. An `executed` part of the same id follows, unless the answer fails. */
export interface ExecutingPart extends ToolItem {
  readonly kind: 'executing';
}

/** Something happened while a tool runs. Only between `executing` and `executed` parts of its id. */
export interface ProgressPart {
  readonly kind: 'progress';
  readonly id: string;
  /** The event's name behind that of the item's kind, such as `panel.added`. */
  readonly event: string;
  readonly fields: JsonObject;
}

/** The gateway ran a tool call of the model. Without an `executing` part before it the item begins and ends here. */
export interface ExecutedPart extends ToolItem {
  readonly kind: 'executed';
  /** Completed by default, also when the tool reported an error. `open` leaves it in progress for ever. */
  readonly status?: 'completed' | 'incomplete' | 'failed' | 'open';
  /** The model's call: its id and arguments, and the result that the model reads. */
  readonly call?: { readonly id: string; readonly input: string; readonly output: string };
}

/** A worker waits for functions of the client. The answer ends once all calls of its kind are shown. */
export interface SuspendedPart {
  readonly kind: 'suspended';
  /** The model's call of the worker. */
  readonly callId: string;
  /** The functions that the client has to run; at least one. */
  readonly calls: readonly CallItem[];
  /** What the worker wrote since it was asked or went on, as the client has to send it back. */
  readonly items: readonly Item[];
}

/** A turn was charged. */
export interface SettledPart {
  readonly kind: 'settled';
  readonly generationId: string;
  readonly bill: AnswerBill;
}

/** The answer is over. `bill` is the sum over all turns. */
export interface EndedPart extends TurnEnd {
  readonly kind: 'ended';
  /** How many calls of tools of the gateway the model made; undefined when none was run. */
  readonly toolCalls?: ToolCallCount;
  /** Unix milliseconds. */
  readonly at: number;
}

/** How a turn ended, once it was settled. */
export interface TurnEnd {
  /** Why the model stopped; undefined when the turn failed. */
  readonly finish?: FinishReason;
  /** Why the turn failed. */
  readonly error?: HeadgateError;
  /** Undefined when nothing was used, or the charge could not be made durable. */
  readonly bill?: AnswerBill;
  /** The tier that served; undefined when the provider reported none. */
  readonly tier?: ServedTier;
  /** Undefined when the request does not ask for it, or failed before routing began. */
  readonly report?: RouteReport;
  /** What served: the model, and the tag of its endpoint. Undefined when no endpoint answered. */
  readonly served?: { readonly model: string; readonly tag: string };
}

/** Calls of the gateway's own tools in one request. */
export interface ToolCallCount {
  readonly requested: number;
  readonly executed: number;
}

/** What one turn or a whole request used and cost. */
export interface AnswerBill {
  readonly usage: Usage;
  /** At list prices. */
  readonly cost: ListCost;
  /** The price of an endpoint is unknown, so the amounts are unknown too. */
  readonly unpriced: boolean;
  /** Credits charged. */
  readonly charge: NanoUsd;
  /** Whether an own provider credential served. */
  readonly isByok: boolean;
}

/** A cost at list prices and its two main parts, each rounded on its own. */
export interface ListCost {
  readonly total: NanoUsd;
  /** Input tokens and pictures. */
  readonly input: NanoUsd;
  /** Output tokens and pictures. */
  readonly output: NanoUsd;
}
