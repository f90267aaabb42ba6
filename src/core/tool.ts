import type { JsonObject } from '../util/json.ts';
import type { HostedItemType, HostedKind } from './hosted.ts';

/** A tool that the model may call. */
export type Tool = FunctionTool | CustomTool | NamespaceTool | HostedTool;

/** A function that the client runs; its arguments are JSON that fits `parameters`. */
export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  /** Unset means not strict, except where `leavesStrict` is set. */
  readonly strict?: boolean;
  /** Came by the Responses dialect without `strict`, whose providers decide it then. */
  readonly leavesStrict?: true;
  readonly async?: boolean;
  /** Offered to the model only once the tool search of the request has found it. */
  readonly deferred?: boolean;
  /** JSON Schema of the function's result; only inside a namespace. */
  readonly outputSchema?: JsonObject;
  /** Set where a cacheable prefix ends after it. */
  readonly cacheControl?: { readonly ttl: '5m' | '1h' };
  /** Who may call it; only inside a namespace. */
  readonly allowedCallers?: readonly ('direct' | 'programmatic')[];
  /** Its members that only the Messages format has; with a `type`, the whole tool as that format knows it. */
  readonly extra?: JsonObject;
}

/** A client tool whose input is free text, optionally with a grammar. */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly description?: string;
  readonly grammar?: { readonly syntax: 'lark' | 'regex'; readonly definition: string };
  readonly async?: boolean;
}

/** Client tools under one name; calls of them have `namespace`. */
export interface NamespaceTool {
  readonly kind: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: readonly (FunctionTool | CustomTool)[];
}

/** A hosted tool: the provider runs it, or trained its models for it (docs/spec/tools.md#kinds). */
export interface HostedTool {
  readonly kind: 'hosted';
  readonly tool: HostedKind;
  /** As the client writes it, such as `web_search_preview`. */
  readonly type: string;
  /** The entry's other members, checked and unchanged. */
  readonly settings: JsonObject;
}

/** Which tools the model may or must call. */
export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | {
      readonly kind: 'tool';
      readonly form: 'function' | 'custom';
      readonly name: string;
      /** The tool's namespace, if any. */
      readonly namespace?: string;
    }
  | { readonly kind: 'hosted'; readonly tool: HostedKind; readonly type: string }
  | {
      readonly kind: 'allowed';
      readonly mode: 'auto' | 'required';
      /** Names of functions and custom tools, those in namespaces qualified (`qualifiedName`). */
      readonly names: readonly string[];
      readonly hosted?: readonly HostedKind[];
    };

/** A tool that the gateway runs itself, as a request lists it (docs/spec/server-tools.md#kinds). */
export interface ServiceTool {
  readonly kind: 'service';
  /** Its type id, such as `service:datetime`. */
  readonly type: ServiceType;
  /** The type as the client wrote it. */
  readonly spelled: string;
  /** The type of its items, where the client listed it by another name than its type id. */
  readonly as?: HostedItemType;
  /** Its parameters, checked, without nulls. */
  readonly settings: JsonObject;
}

/** The type id of a tool of the gateway. */
export type ServiceType = `service:${string}`;

/** The function that stands for a tool of the gateway: its type id, in the letters that functions may have. */
export function serviceFunctionName(type: ServiceType): string {
  return type.replace(/[^A-Za-z0-9_]/g, '_');
}
