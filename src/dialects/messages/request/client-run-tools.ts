import type { FunctionTool } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';

const bash: FunctionTool = {
  kind: 'function',
  name: 'bash',
  description: 'Runs commands in a bash shell that keeps its state between calls.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command to run.' },
      restart: { type: 'boolean', description: 'Starts the shell anew instead.' },
    },
  },
};

const commands = ['view', 'create', 'str_replace', 'insert'];

const textEditor: FunctionTool = {
  kind: 'function',
  name: 'str_replace_based_edit_tool',
  description: 'Views, creates and edits text files.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: commands },
      path: { type: 'string', description: 'An absolute path.' },
      file_text: { type: 'string', description: 'For create: the whole file.' },
      old_str: { type: 'string', description: 'For str_replace: the text to replace, which occurs once.' },
      new_str: { type: 'string', description: 'For str_replace: the text in its place.' },
      insert_line: { type: 'integer', description: 'For insert: the line after which to insert.' },
      insert_text: { type: 'string', description: 'For insert: the text.' },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description: 'For view: first and last line.',
      },
    },
    required: ['command', 'path'],
  },
};

/**
 * The function that stands for a tool clients run, which Claude knows by its type alone (docs/spec/messages.md#tools);
 * undefined for other types.
 */
export function clientRunTools(type: string, { name }: JsonObject): FunctionTool | undefined {
  const known = /^bash_\d{8}$/.test(type) ? bash : /^text_editor_\d{8}$/.test(type) ? textEditor : undefined;
  return known && typeof name === 'string' ? { ...known, name } : known;
}
