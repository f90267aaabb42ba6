import type { JsonObject } from '../util/json.ts';
import { shellLine } from '../util/shell-line.ts';

/** Reads the action of a shell call from a model's arguments; omits values that are not commands. */
export function readShellAction(given: JsonObject): JsonObject {
  return {
    commands: commandsOf(given),
    timeout_ms: numberOf(given.timeout_ms),
    max_output_length: numberOf(given.max_output_length),
  };
}

function commandsOf({ commands, command }: JsonObject): readonly string[] {
  if (Array.isArray(commands)) return commands.filter((line) => typeof line === 'string');
  if (typeof commands === 'string') return [commands];
  if (typeof command === 'string') return [command];
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  return words.length === 0 ? [] : [shellLine(words)];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Reads the operation of a patch from a model's arguments. */
export function readPatch(given: JsonObject): JsonObject {
  const nested = given.operation;
  const members = typeof nested === 'object' && nested !== null ? { ...nested } : given;
  const { type: stated, path, diff } = members as JsonObject;
  const type = operationTypes.find((known) => known === stated || known === `${String(stated)}_file`);
  const file = { type: type ?? 'update_file', path: textOf(path) };
  return file.type === 'delete_file' ? file : { ...file, diff: textOf(diff) };
}

const operationTypes = ['create_file', 'update_file', 'delete_file'] as const;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
