import type { Delta } from '../../../core/delta.ts';
import type { HostedItemType } from '../../../core/hosted.ts';
import type { IdPrefix } from '../../../core/ids.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  type ShapeMembers,
  shapeCodeInterpreter,
  shapeComputerCall,
  shapeFileSearch,
  shapeLocalShellCall,
  shapeMcpCall,
  shapeMcpTools,
  shapePicture,
  shapeShellCall,
  shapeShellOutput,
  shapeWebSearch,
} from './hosted-members.ts';
import type { HostedProgressType, HostedStatus, HostedTextStem, OutputHostedItem } from './hosted-output.ts';

/** How far a hosted tool can be said to have got. */
export type Stage = Extract<Delta, { kind: 'stage' }>['stage'];

/** The progress events of an item: on opening, half way, and in the end. */
export interface ProgressEvents {
  readonly opened: HostedProgressType;
  readonly halfway?: { readonly stage: Stage; readonly type: HostedProgressType };
  readonly completed: HostedProgressType;
  readonly failed?: HostedProgressType;
}

/** The member of an item that is written piece by piece. */
export interface WrittenText {
  readonly stem: HostedTextStem;
  /** Its name in the `done` event. */
  readonly member: 'code' | 'diff' | 'arguments';
  /** Whether the item has this text at all. If not, no events of the text are sent. */
  wanted(members: JsonObject, text: string): boolean;
  read(members: JsonObject): unknown;
  write(members: JsonObject, text: string): JsonObject;
}

/** What distinguishes one kind of hosted item from another. */
export interface HostedKindRow {
  /** The item's type as clients see it. */
  readonly type: OutputHostedItem['type'];
  readonly prefix: IdPrefix;
  /** Calls the client answers are items of the model: they overlap no other (docs/spec/answers.md#order-of-events). */
  readonly ofModel: boolean;
  readonly hasCallId?: boolean;
  /** How an item stands that a limit or a failure cut off; undefined for kinds without a status. */
  readonly cutStatus?: HostedStatus;
  readonly progress?: ProgressEvents;
  readonly text?: WrittenText;
  readonly shape?: ShapeMembers;
  /** Members of the announced item that are not yet what they become. */
  readonly opening?: JsonObject;
}

/**
 * The table of hosted items (docs/spec/answers.md#event-types, docs/spec/answers.md#events-of-items). Kinds that only
 * clients send have no row.
 */
export const hostedKinds: { readonly [Type in HostedItemType]?: HostedKindRow } = {
  web_search_call: {
    type: 'web_search_call',
    prefix: 'ws_',
    ofModel: false,
    cutStatus: 'failed',
    progress: {
      opened: 'response.web_search_call.in_progress',
      halfway: { stage: 'searching', type: 'response.web_search_call.searching' },
      completed: 'response.web_search_call.completed',
    },
    shape: shapeWebSearch,
  },
  file_search_call: {
    type: 'file_search_call',
    prefix: 'fs_',
    ofModel: false,
    cutStatus: 'failed',
    progress: {
      opened: 'response.file_search_call.in_progress',
      halfway: { stage: 'searching', type: 'response.file_search_call.searching' },
      completed: 'response.file_search_call.completed',
    },
    shape: shapeFileSearch,
  },
  image_generation_call: {
    type: 'image_generation_call',
    prefix: 'ig_',
    ofModel: false,
    cutStatus: 'failed',
    progress: {
      opened: 'response.image_generation_call.in_progress',
      halfway: { stage: 'generating', type: 'response.image_generation_call.generating' },
      completed: 'response.image_generation_call.completed',
    },
    shape: shapePicture,
    opening: { result: null },
  },
  code_interpreter_call: {
    type: 'code_interpreter_call',
    prefix: 'ci_',
    ofModel: false,
    cutStatus: 'failed',
    progress: {
      opened: 'response.code_interpreter_call.in_progress',
      halfway: { stage: 'interpreting', type: 'response.code_interpreter_call.interpreting' },
      completed: 'response.code_interpreter_call.completed',
    },
    text: {
      stem: 'response.code_interpreter_call_code',
      member: 'code',
      wanted: (_members, text) => text !== '',
      read: ({ code }) => code,
      write: (members, code) => ({ ...members, code }),
    },
    shape: shapeCodeInterpreter,
    opening: { code: '', outputs: null },
  },
  computer_call: {
    type: 'computer_call',
    prefix: 'cu_',
    ofModel: true,
    hasCallId: true,
    cutStatus: 'incomplete',
    shape: shapeComputerCall,
  },
  shell_call: {
    type: 'shell_call',
    prefix: 'sh_',
    ofModel: true,
    hasCallId: true,
    cutStatus: 'incomplete',
    shape: shapeShellCall,
  },
  local_shell_call: {
    type: 'shell_call',
    prefix: 'sh_',
    ofModel: true,
    hasCallId: true,
    cutStatus: 'incomplete',
    shape: shapeLocalShellCall,
  },
  shell_call_output: {
    type: 'shell_call_output',
    prefix: 'sho_',
    ofModel: false,
    hasCallId: true,
    // It has no word for a failure, and only an item of the model may be incomplete.
    cutStatus: 'in_progress',
    shape: shapeShellOutput,
  },
  apply_patch_call: {
    type: 'apply_patch_call',
    prefix: 'apc_',
    ofModel: true,
    hasCallId: true,
    cutStatus: 'in_progress',
    text: {
      stem: 'response.apply_patch_call_operation_diff',
      member: 'diff',
      wanted: (members) => operationOf(members).type !== 'delete_file',
      read: (members) => operationOf(members).diff,
      write: (members, diff) => ({ ...members, operation: { ...operationOf(members), diff } }),
    },
    shape: (members) => ({ ...members, operation: operationOf(members) }),
  },
  mcp_list_tools: {
    type: 'mcp_list_tools',
    prefix: 'mcpl_',
    ofModel: false,
    progress: {
      opened: 'response.mcp_list_tools.in_progress',
      completed: 'response.mcp_list_tools.completed',
      failed: 'response.mcp_list_tools.failed',
    },
    shape: shapeMcpTools,
    opening: { tools: [] },
  },
  mcp_approval_request: {
    type: 'mcp_approval_request',
    prefix: 'mcpr_',
    ofModel: true,
    shape: shapeMcpCall,
  },
  mcp_call: {
    type: 'mcp_call',
    prefix: 'mcp_',
    ofModel: false,
    cutStatus: 'failed',
    progress: {
      opened: 'response.mcp_call.in_progress',
      completed: 'response.mcp_call.completed',
      failed: 'response.mcp_call.failed',
    },
    text: {
      stem: 'response.mcp_call_arguments',
      member: 'arguments',
      wanted: () => true,
      read: (members) => members.arguments,
      write: (members, text) => ({ ...members, arguments: text }),
    },
    shape: shapeMcpCall,
  },
};

function operationOf({ operation }: JsonObject): JsonObject {
  return isObject(operation) ? operation : { type: 'update_file', path: '', diff: '' };
}
