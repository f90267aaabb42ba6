import { clientTools, offeredTools } from '../../core/client-tools.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type {
  CallItem,
  CanonicalChat,
  ContentPart,
  FunctionTool,
  Item,
  ServiceItem,
  WorkerRound,
} from '../../core/request.ts';
import type { ServiceTool } from '../../core/tool.ts';
import { createChecker } from '../../schema/checker.ts';
import type { JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import { type NamedEntry, namedEntries } from '../entry-names.ts';
import { innerCanonical, messageOf, readInnerSettings } from '../inner-request.ts';
import type { ServerTool, SuspendedCall, ToolContext, ToolOffer, ToolResult } from '../server-tool.ts';

/** Characters of what a worker wrote that a client may have to send back. */
const longestTranscript = 4_000_000;

/** What a worker wrote in one round, and the calls of functions that the client has to answer. */
interface OpenRound {
  readonly calls: readonly CallItem[];
  readonly items: readonly Item[];
}

/**
 * Finds the calls that a worker waits for. They get ids of their own, because those of models repeat between conversations.
 * @throws HeadgateError when the client could not send back what the worker wrote.
 */
function openRound(written: readonly Item[]): OpenRound {
  const open = openCalls(written);
  const calls: CallItem[] = [];
  const items = written.map((item): Item => {
    if (item.kind !== 'call' || !open.has(item)) return item;
    const call = { ...item, callId: createId('call_') };
    calls.push(call);
    return call;
  });
  if (calls.length > 0 && (!items.every(isWritable) || JSON.stringify(items).length > longestTranscript)) {
    throw new HeadgateError('invalid_request', 'The worker cannot wait for functions: it wrote too much.');
  }
  return { calls, items };
}

/**
 * The conversation of a worker until the client has answered.
 * @throws HeadgateError when the client did not send everything back: the model reads why.
 */
function replayRounds(rounds: readonly WorkerRound[]): readonly Item[] {
  return rounds.flatMap(({ items, outputs }) => {
    const open = openCalls(items);
    const given = new Map(outputs.map((output) => [output.callId, output]));
    const found = [...open].flatMap(({ callId }) => given.get(callId) ?? []);
    if (open.size > 0 && found.length === open.size && given.size === open.size) {
      return [...items, ...found];
    }
    const problem = items.length === 0 ? 'subagent_items is missing' : 'its calls and their outputs differ';
    throw new HeadgateError('invalid_request', `The worker cannot go on: ${problem}.`);
  });
}

/** How many calls of its own tools a worker has made. */
function callsIn(rounds: readonly WorkerRound[]): number {
  const results = rounds.flatMap(({ items }) => items.filter(({ kind }) => kind === 'call_output'));
  return results.length;
}

/** The calls without a result, in order. Some models give calls of different turns one id. */
function openCalls(items: readonly Item[]): ReadonlySet<CallItem> {
  const open = new Set<CallItem>();
  const byId = new Map<string, CallItem>();
  for (const item of items) {
    if (item.kind === 'call') {
      open.add(item);
      byId.set(item.callId, item);
    } else if (item.kind === 'call_output') {
      const answered = byId.get(item.callId);
      if (answered !== undefined) open.delete(answered);
    }
  }
  return open;
}

/** Whether items of the client's protocol can hold it. */
function isWritable(item: Item): boolean {
  if (item.kind === 'message') return item.content.every(isText);
  if (item.kind === 'call_output') return item.output.every(isText);
  return item.kind === 'reasoning' || item.kind === 'hosted' || item.kind === 'call';
}

function isText({ kind }: ContentPart): boolean {
  return kind === 'text' || kind === 'refusal';
}

const type = 'service:subagent';
/** Calls of all workers of one request. */
const mostCalls = 20;

const checkInput = createChecker(
  Type.Object({ task_name: text({ minLength: 1 }), task_description: text({ minLength: 1 }) }),
);

/** `service:subagent`: a worker that does one task on its own (docs/spec/server-tools.md#subagent). */
export const subagentTool: ServerTool = {
  type,
  concerns: ({ canonical }) => canonical.serviceTools?.some((tool) => tool.type === type) === true,
  offer(request) {
    const calls = { left: mostCalls };
    const workers = namedEntries(request, type).map((entry, index) => {
      const functions = inheritedFunctions(entry.tool.settings, request);
      return new Worker(entry, { isLater: index > 0, functions, calls });
    });
    const suspended = waitingWorkers(request, workers);
    return workers.map((worker, index) => new WorkerOffer(worker, index === 0 ? suspended : []));
  },
};

/** The workers of earlier requests that can go on, in the order of the conversation. */
function waitingWorkers(
  { canonical }: InferenceRequest,
  workers: readonly Worker[],
): readonly SuspendedCall[] {
  return canonical.items.flatMap((item): readonly SuspendedCall[] => {
    if (item.kind !== 'service' || item.type !== type) return [];
    const { fields, rounds } = item;
    if (rounds === undefined || fields.outcome !== undefined || fields.error !== undefined) return [];
    const worker = workers.find((one) => one.instanceName === fields.instance_name) ?? workers[0];
    if (worker === undefined) return [];
    const { call_id, task_name, task_description } = fields;
    const callId = String(call_id);
    const input = JSON.stringify({ task_name, task_description });
    const call = { kind: 'call', form: 'function', callId, name: worker.functionName, input } as const;
    return [{ item, call, rest: new RestOfWorker(worker, item, rounds) }];
  });
}

/** What all workers of a request share, and what the client lets this kind call. */
interface WorkerPlace {
  readonly isLater: boolean;
  readonly functions: readonly FunctionTool[];
  readonly calls: { left: number };
}

/** One kind of worker of one request. */
class Worker {
  readonly mayWait: boolean;
  readonly #entry: NamedEntry;
  readonly #place: WorkerPlace;

  constructor(entry: NamedEntry, place: WorkerPlace) {
    this.#entry = entry;
    this.#place = place;
    this.mayWait = place.functions.length > 0;
  }

  get functionName(): string {
    return this.#entry.functionName;
  }

  get definition(): FunctionTool {
    return definitionOf(this.#entry);
  }

  /** What distinguishes its items from those of other kinds; the first kind has none. */
  get instanceName(): string | undefined {
    return this.#place.isLater ? this.#entry.instance : undefined;
  }

  /** Gives it a task, or the rest of one. */
  async work(input: JsonObject, context: ToolContext, before?: BeganTask): Promise<ToolResult> {
    const { calls } = this.#place;
    const { task_name, task_description } = checkInput(input, '');
    if (calls.left <= 0) throw new HeadgateError('invalid_request', 'No more tasks can be given away.');
    calls.left -= 1;
    const rounds = before?.rounds ?? [];
    const items = [messageOf('user', task_description), ...replayRounds(rounds)];
    const answer = await context.innerTurn({
      models: [this.#modelOf(context, before)],
      canonical: this.#canonicalOf(items, callsIn(rounds)),
      ...(this.mayWait && { keepsItems: true }),
    });
    const fields = { ...this.shown(input), call_id: context.callId, model: answer.model };
    const isWhole = answer.finish === 'stop' || answer.finish === 'tool_calls';
    const open = this.mayWait && isWhole ? openRound(answer.items) : undefined;
    if (open !== undefined && open.calls.length > 0)
      return { output: '', fields, status: 'open', waits: open, isHidden: before !== undefined };
    const { text: outcome } = answer;
    return {
      output: JSON.stringify({ status: 'ok', model: answer.model, task_name, outcome }),
      fields: { ...fields, outcome },
    };
  }

  /** What is shown of a task. */
  shown({ task_name, task_description }: JsonObject): JsonObject {
    const { name } = this.#entry;
    return {
      ...(typeof task_name === 'string' && { task_name }),
      ...(typeof task_description === 'string' && { task_description }),
      ...(name !== undefined && { name }),
      ...(this.instanceName !== undefined && { instance_name: this.instanceName }),
    };
  }

  #modelOf({ model }: ToolContext, before: BeganTask | undefined): string {
    const { settings } = this.#entry.tool;
    if (typeof settings.model === 'string') return settings.model;
    return typeof before?.model === 'string' ? before.model : model;
  }

  #canonicalOf(items: readonly Item[], calls: number): CanonicalChat {
    const { settings } = this.#entry.tool;
    const { functions } = this.#place;
    const most = typeof settings.max_tool_calls === 'number' ? settings.max_tool_calls : undefined;
    const left = most === undefined ? undefined : most - calls;
    const tools = left !== undefined && left < 1 ? [] : ((settings.tools ?? []) as readonly ServiceTool[]);
    return {
      ...innerCanonical(items, readInnerSettings(settings)),
      ...(functions.length > 0 && { tools: functions, includeEncryptedReasoning: true }),
      ...(tools.length > 0 && { serviceTools: tools }),
      ...(left !== undefined && left > 0 && { maxToolCalls: left }),
    };
  }
}

/** What is known of a task from earlier requests. */
interface BeganTask {
  readonly rounds: readonly WorkerRound[];
  /** The model that began it. */
  readonly model: unknown;
}

/** Offers one kind of worker to the model. */
class WorkerOffer implements ToolOffer {
  readonly type = type;
  readonly definition: FunctionTool;
  readonly suspended: readonly SuspendedCall[];
  /** Undefined where it may wait for the client: what is shown of such a call never changes, so it has to be whole. */
  readonly announce: ToolOffer['announce'];
  readonly #worker: Worker;

  constructor(worker: Worker, suspended: readonly SuspendedCall[]) {
    this.definition = worker.definition;
    this.suspended = suspended;
    this.#worker = worker;
    this.announce = worker.mayWait
      ? undefined
      : (input, _written, callId) => ({ ...worker.shown(input), call_id: callId });
  }

  failed(input: JsonObject): JsonObject {
    return this.#worker.shown(input);
  }

  run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    return this.#worker.work(input, context);
  }
}

/** A task that an earlier request began. */
class RestOfWorker implements ToolOffer {
  readonly type = type;
  readonly definition: FunctionTool;
  readonly #worker: Worker;
  readonly #item: ServiceItem;
  readonly #rounds: readonly WorkerRound[];

  constructor(worker: Worker, item: ServiceItem, rounds: readonly WorkerRound[]) {
    this.definition = worker.definition;
    this.#worker = worker;
    this.#item = item;
    this.#rounds = rounds;
  }

  failed(input: JsonObject): JsonObject {
    return { ...this.#worker.shown(input), call_id: this.#item.fields.call_id };
  }

  run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    if (!this.#worker.mayWait) {
      const problem = 'Its entry does not let it call functions of the client any more.';
      throw new HeadgateError('invalid_request', `The worker cannot go on: ${problem}`);
    }
    const { model } = this.#item.fields;
    return this.#worker.work(input, context, { rounds: this.#rounds, model });
  }
}

function definitionOf({ functionName, name }: NamedEntry): FunctionTool {
  return {
    kind: 'function',
    name: functionName,
    description: `Gives a task to ${name === undefined ? 'a worker' : `the worker "${name}"`}, which knows nothing of this conversation and reports once.`,
    parameters: {
      type: 'object',
      properties: {
        task_name: { type: 'string', description: 'A short name.' },
        task_description: {
          type: 'string',
          description: 'The task, with everything the worker has to know.',
        },
      },
      required: ['task_name', 'task_description'],
    },
  };
}

/**
 * The functions of the client that a worker may call (docs/spec/server-tools.md#functions-of-the-client): all of the request, or
 * those that its entry names. Functions in namespaces are not among them.
 * @throws HeadgateError `invalid_request` for a name that no function of the request has.
 */
function inheritedFunctions(settings: JsonObject, { canonical }: InferenceRequest): readonly FunctionTool[] {
  const { inherit_functions: all, inherited_function_names: names } = settings;
  if (all !== true && !Array.isArray(names)) return [];
  const functions = clientTools(offeredTools(canonical)).flatMap(({ tool, namespace }) =>
    tool.kind === 'function' && namespace === undefined ? [{ ...tool, deferred: undefined }] : [],
  );
  if (all === true || !Array.isArray(names)) return functions;
  const wanted = names.map((name) => String(name).trim());
  const missing = wanted.find((name) => !functions.some((tool) => tool.name === name));
  if (missing === undefined) return functions.filter(({ name }) => wanted.includes(name));
  const problem = `the request has no function "${missing}"; list it in tools, or leave the name out`;
  throw new HeadgateError(
    'invalid_request',
    `tools: "service:subagent": inherited_function_names: ${problem}`,
  );
}
