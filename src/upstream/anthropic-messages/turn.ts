import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { TurnOf } from '../divide-turns.ts';
import type { ContentBlock } from './encode-content.ts';

/** A hosted call or its result. */
export type HostedBlock =
  | Wire.ServerToolUseBlockParam
  | Wire.WebSearchToolResultBlockParam
  | Wire.WebFetchToolResultBlockParam
  | Wire.CodeExecutionToolResultBlockParam
  | Wire.BashCodeExecutionToolResultBlockParam
  | Wire.TextEditorCodeExecutionToolResultBlockParam
  | Beta.BetaMCPToolUseBlockParam
  | Beta.BetaRequestMCPToolResultBlockParam;

/** A block of a turn. */
export type TurnBlock =
  | ContentBlock
  | HostedBlock
  | Wire.ContainerUploadBlockParam
  | Wire.ThinkingBlockParam
  | Wire.RedactedThinkingBlockParam
  | Wire.ToolUseBlockParam
  | Wire.ToolResultBlockParam;

/** One side's turn; the sides alternate. */
export type Turn = TurnOf<TurnBlock>;
