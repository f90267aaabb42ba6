import type { SeenRequest } from '../dialects/dialect-script.ts';
import type { AgentRun } from './run-agent.ts';
import { slug } from './scripted-model.ts';

/** What every agent is asked to do: correct a word in a file, then run a command that counts its letters. */
export const task = {
  before: { 'hello.txt': 'Hallo from the model\n' },
  after: { 'hello.txt': 'Hello from the model\n', 'size.txt': '21\n' },
} as const;

/** A call of one of an agent's own tools. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A coding agent from npm. */
export interface Agent {
  readonly name: string;
  /** Its command in clients/agents. */
  readonly program: string;
  /** Milliseconds for which the model is silent before its first answer. */
  readonly silence?: number;
  /** How to run it on the task, at a gateway with a key. */
  run(at: { readonly url: string; readonly key: string }): Omit<AgentRun, 'command'>;
  /** The calls that do the task, one a turn, in the tools that the request offers; empty where it offers none. */
  calls(tools: SeenRequest['tools']): readonly ToolCall[];
}

const prompt = 'Correct the word in hello.txt, and write the number of its letters into size.txt.';
const edit = { old: 'Hallo', new: 'Hello' } as const;
const count = 'wc -c < hello.txt > size.txt';

const claudeCode: Agent = {
  name: 'Claude Code',
  program: 'claude',
  run: ({ url, key }) => ({
    args: ['-p', prompt, '--allowedTools', 'Read,Edit,Bash'],
    environment: {
      ANTHROPIC_BASE_URL: `${url}/api`,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  calls: (tools) =>
    has(tools, 'Edit')
      ? [
          // It edits only what it has read.
          { name: 'Read', arguments: { file_path: '{folder}/hello.txt' } },
          {
            name: 'Edit',
            arguments: { file_path: '{folder}/hello.txt', old_string: edit.old, new_string: edit.new },
          },
          { name: 'Bash', arguments: { command: count, description: 'Count' } },
        ]
      : [],
};

const codex: Agent = {
  name: 'Codex',
  program: 'codex',
  silence: 8_000,
  run: ({ url, key }) => ({
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    environment: { HEADGATE_API_KEY: key },
    homeFiles: {
      '.codex/config.toml': [
        `model = "${slug}"`,
        'model_provider = "headgate"',
        'web_search = "disabled"',
        'check_for_update_on_startup = false',
        '[model_providers.headgate]',
        'name = "Headgate"',
        `base_url = "${url}/api/v1"`,
        'env_key = "HEADGATE_API_KEY"',
        'wire_api = "responses"',
        // Shorter than the silence of the first answer: only events of the stream keep it waiting.
        'stream_idle_timeout_ms = 5000',
        'stream_max_retries = 0',
        'request_max_retries = 0',
        '[features]',
        'multi_agent = false',
        '[analytics]',
        'enabled = false',
      ].join('\n'),
    },
  }),
  calls: (tools) =>
    [`sed -i s/${edit.old}/${edit.new}/ hello.txt`, count].flatMap((line) => shell(tools, line)),
};

/** A command in the words of the shell tool that Codex offers for the model at hand. */
function shell(tools: SeenRequest['tools'], line: string): readonly ToolCall[] {
  if (has(tools, 'exec_command')) return [{ name: 'exec_command', arguments: { cmd: line } }];
  if (has(tools, 'shell_command')) return [{ name: 'shell_command', arguments: { command: line } }];
  return has(tools, 'shell') ? [{ name: 'shell', arguments: { command: ['bash', '-lc', line] } }] : [];
}

const opencode: Agent = {
  name: 'opencode',
  program: 'opencode',
  run: ({ url, key }) => ({
    args: ['run', '--model', `headgate/${slug}`, prompt],
    environment: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_SHARE: '1',
    },
    homeFiles: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        provider: {
          headgate: {
            npm: '@ai-sdk/anthropic',
            name: 'Headgate',
            options: { baseURL: `${url}/api/v1`, apiKey: key },
            models: { [slug]: { name: 'Atlas' } },
          },
        },
      }),
    },
  }),
  calls: (tools) =>
    has(tools, 'edit')
      ? [
          { name: 'read', arguments: { filePath: '{folder}/hello.txt' } },
          {
            name: 'edit',
            arguments: { filePath: '{folder}/hello.txt', oldString: edit.old, newString: edit.new },
          },
          { name: 'bash', arguments: { command: count, description: 'Count' } },
        ]
      : [],
};

function has(tools: SeenRequest['tools'], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

/** The agents that are tried, in the order of docs/clients.md. */
export const agents: readonly Agent[] = [claudeCode, codex, opencode];
