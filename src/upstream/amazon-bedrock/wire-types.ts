import type * as Sdk from '@aws-sdk/client-bedrock-runtime';
import type { TurnOf } from '../divide-turns.ts';

/** A type of the vendor's package as JSON carries it: bytes as base64, documents as any JSON. */
type OnWire<T> = T extends Uint8Array
  ? string
  : T extends readonly (infer Entry)[]
    ? OnWire<Entry>[]
    : T extends object
      ? {
          [Key in keyof T as Key extends '$unknown' ? never : Key]: Key extends 'input' | 'json'
            ? unknown
            : OnWire<T[Key]>;
        }
      : T;

type Known<T> = T extends { $unknown: readonly [string, unknown] } ? never : T;

/** A piece of a message. */
export type ContentBlock = OnWire<Known<Sdk.ContentBlock>>;
/** A piece of the system prompt. */
export type SystemBlock = OnWire<Known<Sdk.SystemContentBlock>>;
/** A piece of a tool's answer. */
export type ResultBlock = OnWire<Known<Sdk.ToolResultContentBlock>>;
/** The tools and the choice among them. */
export type ToolConfig = OnWire<Sdk.ToolConfiguration>;
/** A tool, or the end of a cacheable prefix after one. */
export type ToolSpec = NonNullable<ToolConfig['tools']>[number];
/** The end of a cacheable prefix. */
export type CachePoint = OnWire<Sdk.CachePointBlock>;

/** One side's turn; the sides alternate. */
export type Turn = TurnOf<ContentBlock>;
